import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {access, constants} from 'node:fs/promises'
import {delimiter, join} from 'node:path'
import type {Writable} from 'node:stream'
import {isCi} from './ci.js'
import {isDumb} from './color.js'
import {type Io, write} from './io.js'
import {type Say} from './say.js'

/** Prints results; at a terminal, through a pager once they are longer than the screen. */
export interface Pager {
  /** Throws `ClosedPipe` when the reader has closed the output. */
  print(text: string): Promise<void>
  /** Prints a notice on standard error, after buffered or paged results. */
  readonly say: Say
  /** Prints buffered results and waits until the user leaves the pager, or `signal` aborts. */
  end(): Promise<void>
}

interface PagerSettings {
  readonly noPager: boolean
  /** Standard input and output are terminals. */
  readonly isTerminal: boolean
}

/** The shell command of the pager; `undefined` without a pager. */
export function pagerCommand(
  {noPager, isTerminal}: PagerSettings,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (noPager || !isTerminal || isDumb(environment) || isCi(environment)) return undefined
  const command = (environment.DRV_PAGER ?? environment.PAGER ?? 'less -FRX').trim()
  return command === '' || command === 'cat' ? undefined : command
}

/** Whether a text fills the screen. */
export function exceedsScreen(
  text: string,
  {height, width}: Pick<Io, 'height' | 'width'>,
): boolean {
  let lines = 0
  for (let at = 0; at < text.length && lines < height;) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    lines += Math.max(1, Math.ceil((next - at - 1) / width))
    at = next
  }
  return lines >= height
}

/** Calls `onLeave` when the user leaves the pager before the output ends. */
export function createPager({
  io,
  command,
  signal,
  onLeave,
}: {
  readonly io: Pick<Io, 'stdout' | 'say' | 'height' | 'width'>
  readonly command: string | undefined
  readonly signal: AbortSignal
  readonly onLeave: () => void
}): Pager {
  let isDirect = command === undefined
  /** Buffered output of less than one screen. */
  let buffered = ''
  const notices: string[] = []
  let reading: {readonly child: ChildProcess; readonly stdin: Writable} | undefined
  let isEnding = false

  async function open(line: string): Promise<typeof reading> {
    if (!(await isExecutable(line))) return undefined
    const {spawn} = await import('node:child_process')
    // Defaults for less: quit after one screen, show color, do not clear the screen.
    const env = {LESS: 'FRX', LV: '-c', ...process.env}
    const child = spawn(line, {shell: true, stdio: ['pipe', 'inherit', 'inherit'], env})
    child.stdin.on('error', () => undefined)
    const leave = () => {
      if (!isEnding) onLeave()
    }
    child.once('error', leave).once('close', leave)
    return {child, stdin: child.stdin}
  }

  return {
    async print(text) {
      if (reading) return write(reading.stdin, text)
      if (isDirect) return write(io.stdout, text)
      buffered += text
      if (!exceedsScreen(buffered, io)) return
      reading = await open(command!)
      isDirect = reading === undefined
      const all = buffered
      buffered = ''
      await write(reading?.stdin ?? io.stdout, all)
    },
    say(text) {
      if (reading || buffered !== '') notices.push(text)
      else io.say(text)
    },
    async end() {
      if (buffered !== '') await write(io.stdout, buffered)
      buffered = ''
      if (reading) await waitForExit(reading)
      reading = undefined
      for (const text of notices.splice(0)) io.say(text)
    },
  }

  async function waitForExit({child, stdin}: NonNullable<typeof reading>): Promise<void> {
    isEnding = true
    stdin.end()
    const kill = () => void child.kill()
    if (signal.aborted) kill()
    else signal.addEventListener('abort', kill, {once: true})
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    signal.removeEventListener('abort', kill)
  }
}

/** Whether the program at the start of a command line exists and is executable. */
async function isExecutable(line: string): Promise<boolean> {
  const program = line.split(/\s+/).find(word => !word.includes('=')) ?? ''
  const folders = /[\\/]/.test(program) ? [''] : (process.env.PATH ?? '').split(delimiter)
  const files = folders.flatMap(folder => ['', '.exe'].map(end => join(folder, program + end)))
  const found = await Promise.all(
    files.map(file =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}
