import {spawn} from 'node:child_process'
import {readFileSync} from 'node:fs'

/** What running a program took. What the system does not tell is `undefined`: all but the time needs Linux. */
export interface Cost {
  /** Wall time in s. */
  readonly seconds: number
  /** Processor time in s, of user and system. */
  readonly cpu?: number
  /** Peak resident memory in MiB. */
  readonly memory?: number
  readonly stdout: string
}

/** How often a running process is looked at, in ms; what it does after the last look is not counted. */
const LOOK = 5
/** The system's clock ticks a second. */
const TICKS = 100

/** Runs a program to its end; throws when it fails. */
export function measure(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Cost> {
  return new Promise((settle, fail) => {
    const start = performance.now()
    const child = spawn(command, args, {env, stdio: ['ignore', 'pipe', 'pipe']})
    const output = {stdout: '', stderr: ''}
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk))
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk))
    let seen: Pick<Cost, 'cpu' | 'memory'> = {}
    const look = setInterval(() => (seen = {...seen, ...usage(child.pid!)}), LOOK)
    child.once('error', fail)
    child.once('close', code => {
      clearInterval(look)
      const seconds = (performance.now() - start) / 1000
      if (code === 0) settle({seconds, ...seen, stdout: output.stdout})
      else fail(new Error(`${command} ${args.join(' ')} ended with ${code}: ${output.stderr}`))
    })
  })
}

/** What a running process has used so far. */
export function usage(pid: number): Pick<Cost, 'cpu' | 'memory'> {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    // The name of the program, in brackets, may have blanks in it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS
    // Of one that has ended, but whose end nobody has heard of, the memory is gone.
    return peak === undefined ? {cpu} : {cpu, memory: Number(peak) / 1024}
  } catch {
    return {}
  }
}
