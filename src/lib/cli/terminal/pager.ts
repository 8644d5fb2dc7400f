import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {access, constants} from 'node:fs/promises'
import {delimiter, join} from 'node:path'
import type {Writable} from 'node:stream'
import {isCi} from './ci.js'
import {isDumb} from './color.js'
import {type Io, write} from './io.js'
import {type Say} from './say.js'

/** Where results go: at a terminal through a pager, once they are longer than the screen. */
export interface Pager {
  /** Throws `ClosedPipe` when nobody reads any more. */
  print(text: string): Promise<void>
  /** Says something on standard error; while results wait or are read, that waits until they are over. */
  readonly say: Say
  /** Writes what waits still, and has the person read on until they leave, or `signal` ends it. */
  end(): Promise<void>
}

interface Place {
  readonly noPager: boolean
  /** Standard input and output are terminals. */
  readonly isTerminal: boolean
}

/** The command line of the pager, for the shell; `undefined` where there is to be none. */
export function pagerCommand(
  {noPager, isTerminal}: Place,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (noPager || !isTerminal || isDumb(environment) || isCi(environment)) return undefined
  const command = (environment.DRV_PAGER ?? environment.PAGER ?? 'less -FRX').trim()
  return command === '' || command === 'cat' ? undefined : command
}

/** Whether a text fills so many lines of a terminal. */
export function isLonger(text: string, {height, width}: Pick<Io, 'height' | 'width'>): boolean {
  let lines = 0
  for (let at = 0; at < text.length && lines < height;) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    lines += Math.max(1, Math.ceil((next - at - 1) / width))
    at = next
  }
  return lines >= height
}

/** `onLeave` is called when the person leaves the pager before everything is written. */
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
  /** Less than a screen, which may be all there is. */
  let held = ''
  const notes: string[] = []
  let reading: {readonly child: ChildProcess; readonly stdin: Writable} | undefined
  let isEnding = false

  async function open(line: string): Promise<typeof reading> {
    if (!(await isThere(line))) return undefined
    const {spawn} = await import('node:child_process')
    // What less does where nobody told it: quit after a single screen, show colours, clear nothing.
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
      held += text
      if (!isLonger(held, io)) return
      reading = await open(command!)
      isDirect = reading === undefined
      const all = held
      held = ''
      await write(reading?.stdin ?? io.stdout, all)
    },
    say(text) {
      if (reading || held !== '') notes.push(text)
      else io.say(text)
    },
    async end() {
      if (held !== '') await write(io.stdout, held)
      held = ''
      if (reading) await left(reading)
      reading = undefined
      for (const text of notes.splice(0)) io.say(text)
    },
  }

  async function left({child, stdin}: NonNullable<typeof reading>): Promise<void> {
    isEnding = true
    stdin.end()
    const kill = () => void child.kill()
    if (signal.aborted) kill()
    else signal.addEventListener('abort', kill, {once: true})
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    signal.removeEventListener('abort', kill)
  }
}

/** Whether the program that a command line begins with can be started; a shell could only say so. */
async function isThere(line: string): Promise<boolean> {
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
