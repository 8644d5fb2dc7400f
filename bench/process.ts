import {spawn} from 'node:child_process'
import {readdirSync, readFileSync, writeFileSync} from 'node:fs'

/**
 * The cost of running a program. Values that the system does not report are `undefined`: everything except the
 * time requires Linux.
 */
export interface Cost {
  /** Wall time in s. */
  readonly seconds: number
  /** Processor time in s, user and system together. */
  readonly cpu?: number
  /** Peak resident memory in MiB. */
  readonly memory?: number
  readonly stdout: string
}

/** The interval of sampling a running process, in ms; use after the last sample is not counted. */
const LOOK = 5
/** The clock ticks of the system per second. */
const TICKS = 100

/** Runs a program to its end; throws if it fails. */
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

/** The cost of a running process so far, and the memory that is resident now, in MiB. */
export function usage(pid: number): Pick<Cost, 'cpu' | 'memory'> & {readonly resident?: number} {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [peak, resident] = ['VmHWM', 'VmRSS'].map(
      name => new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1],
    )
    const fields = statOf(pid)
    const cpu = (Number(fields[11]) + Number(fields[12])) / TICKS
    // A process that has ended but is not yet reaped reports no memory.
    if (peak === undefined) return {cpu}
    return {cpu, memory: Number(peak) / 1024, resident: Number(resident) / 1024}
  } catch {
    return {}
  }
}

/** The processes of a group. Empty where the system does not list them. */
export function processesOf(group: number): number[] {
  try {
    const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
    return all.map(Number).filter(pid => isIn(group, pid))
  } catch {
    return []
  }
}

function isIn(group: number, pid: number): boolean {
  try {
    return Number(statOf(pid)[2]) === group
  } catch {
    return false
  }
}

/** The fields of `/proc/PID/stat` after the name of the program, which may contain blanks. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Lowers the peak memory of a running process to what it uses now, so that the next peak can be read. Linux only. */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // Without it, the peak is that since the start.
  }
}
