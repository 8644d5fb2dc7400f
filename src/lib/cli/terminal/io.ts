import type {Readable, Writable} from 'node:stream'
import {isatty} from 'node:tty'
import type {Wait, Waits} from '#lib/client/transport/waits.js'
import {boundedText, readFileChunks, TooLongError} from '#lib/platform/open-file.js'
import {isCi} from './ci.js'
import {isDumb, usesColor} from './color.js'
import {ClosedPipe, UsageError} from './errors.js'
import {createSay, type Say, withoutSecrets} from './say.js'

/** The ends of a command: streams and what they can do. */
export interface Io {
  readonly stdin: Readable & {readonly isTTY?: boolean}
  readonly stdout: Writable
  /** For what draws and asks; text for people goes through `say`. */
  readonly stderr: Writable
  /** Says something to people; where standard error is for one JSON document, keeps it in `unsaid`. */
  readonly say: Say
  /** Writes what was asked for line by line, such as a log, whatever the format. */
  readonly log: Say
  /** The last lines that were not said. */
  readonly unsaid: readonly string[]
  /** Questions can be asked: a terminal on both sides, no CI, and nobody said `--no-input`. */
  readonly interactive: boolean
  /** Nobody is asked at this terminal because of the variable CI. */
  readonly isCi?: boolean
  /** Standard output is a terminal. */
  readonly isTerminal: boolean
  /** Standard error is a terminal, so that somebody sees what is said there while it goes on. */
  readonly progress: boolean
  /** The same, and it takes escape sequences: bars and a spinner can be drawn. */
  readonly draws: boolean
  /** The terminal takes no escape sequences. */
  readonly isDumb: boolean
  /** Results may be coloured. */
  readonly color: boolean
  /** Standard input is a terminal as well. */
  readonly hasKeys: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Its lines. */
  readonly height: number
}

/** So many lines that were not said are kept for the document of an error. */
const MOST_UNSAID = 1000

/** The ends of this process. */
export function processIo(
  {
    noInput,
    quiet,
    noColor,
    isJson = false,
  }: {
    readonly noInput: boolean
    readonly quiet: boolean
    readonly noColor: boolean
    /** Standard error is for one JSON document, unless it is a terminal. */
    readonly isJson?: boolean
  },
  environment: NodeJS.ProcessEnv,
): Io {
  const {stdout, stderr} = process
  const progress = !quiet && stderr.isTTY
  const log = createSay(stderr, environment)
  const unsaid: string[] = []
  const keep = (text: string) => {
    unsaid.push(withoutSecrets(text, environment))
    if (unsaid.length > MOST_UNSAID) unsaid.shift()
  }
  return {
    // Opened by whoever reads it: most commands do not.
    get stdin() {
      return process.stdin
    },
    stdout,
    stderr,
    say: isJson && !stderr.isTTY ? keep : log,
    log,
    unsaid,
    isCi: isCi(environment) && isatty(0) && stderr.isTTY,
    interactive: !noInput && !isCi(environment) && isatty(0) && stderr.isTTY,
    isTerminal: stdout.isTTY,
    progress,
    draws: progress && !isDumb(environment),
    isDumb: isDumb(environment),
    color: usesColor({noColor, isTTY: stdout.isTTY}, environment),
    hasKeys: isatty(0),
    width: stdout.columns || 80,
    height: stdout.rows || 24,
  }
}

/**
 * Writes and waits until the text is out, so that a slow reader slows the work down. Throws
 * `ClosedPipe` when the reader has gone.
 */
export async function write(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(chunk, error => (error ? reject(brokenPipe(error) ?? error) : resolve()))
  })
}

/** `ClosedPipe` for the errors of a stream whose reader has gone. */
export function brokenPipe(error: unknown): ClosedPipe | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' ? new ClosedPipe() : undefined
}

interface Input {
  readonly io: Pick<Io, 'stdin'>
  readonly waits: Waits
}

/** The whole of standard input as text. Throws `UsageError` for more than is read whole. */
export async function readAll(input: Input): Promise<string> {
  const wait = waitForInput(input)
  try {
    return await boundedText(input.io.stdin as AsyncIterable<Uint8Array | string>)
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error
    throw new UsageError(`Cannot read standard input: ${error.message}.`, 'Give it less at once.')
  } finally {
    wait?.end()
  }
}

/** The whole text of the file at `path`, which may be a named pipe. Throws the system's error, and `TooLongError`. */
export async function readLocalText(path: string, {waits}: Pick<Input, 'waits'>): Promise<string> {
  const wait = waits.begin(() => path)
  try {
    return await boundedText(readFileChunks(path))
  } finally {
    wait.end()
  }
}

/** The wait for standard input; `undefined` where a person types it, who knows. */
export function waitForInput({io: {stdin}, waits}: Input): Wait | undefined {
  return stdin.isTTY ? undefined : waits.begin(() => 'standard input')
}
