import type {Readable, Writable} from 'node:stream'
import {isatty} from 'node:tty'
import type {Wait, Waits} from '#lib/client/transport/waits.js'
import {boundedText, readFileChunks, TooLongError} from '#lib/platform/open-file.js'
import {isCi} from './ci.js'
import {isDumb, usesColor} from './color.js'
import {ClosedPipe, UsageError} from './errors.js'
import {createSay, type Say, withoutSecrets} from './say.js'

/** The streams of a command and their capabilities. */
export interface Io {
  readonly stdin: Readable & {readonly isTTY?: boolean}
  readonly stdout: Writable
  /** For progress bars and prompts; text for people goes through `say`. */
  readonly stderr: Writable
  /** Prints a notice; if standard error is one JSON document, stores it in `unsaid` instead. */
  readonly say: Say
  /** Prints requested lines, such as a log, in every format. */
  readonly log: Say
  /** The last notices that were not printed. */
  readonly unsaid: readonly string[]
  /** Prompts are possible: standard input and error are terminals, no CI, no `--no-input`. */
  readonly interactive: boolean
  /** Nobody is asked at this terminal because of the variable CI. */
  readonly isCi?: boolean
  /** Standard output is a terminal. */
  readonly isTerminal: boolean
  /** Standard error is a terminal, and not `--quiet`: show progress. */
  readonly progress: boolean
  /** Like `progress`, and the terminal supports escape sequences, so bars are possible. */
  readonly draws: boolean
  /** The terminal does not support escape sequences. */
  readonly isDumb: boolean
  /** Results can have color. */
  readonly color: boolean
  /** Standard input is a terminal. */
  readonly hasKeys: boolean
  /** The width of the terminal, in columns. */
  readonly width: number
  /** The height of the terminal, in lines. */
  readonly height: number
}

/** The maximum number of notices stored for the JSON document of an error. */
const MOST_UNSAID = 1000

/** The streams of this process. */
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
    /** Standard error is one JSON document, unless it is a terminal. */
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
    // A getter, because most commands do not read it, and access opens it.
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
 * Writes and waits until the stream has taken the text, so that a slow reader slows drv down. Throws
 * `ClosedPipe` if the reader has closed the pipe.
 */
export async function write(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(chunk, error => (error ? reject(brokenPipe(error) ?? error) : resolve()))
  })
}

/** `ClosedPipe` for errors of a stream whose reader has closed it; otherwise `undefined`. */
export function brokenPipe(error: unknown): ClosedPipe | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' ? new ClosedPipe() : undefined
}

interface Input {
  readonly io: Pick<Io, 'stdin'>
  readonly waits: Waits
}

/** Reads standard input to its end as text. Throws `UsageError` if it is too long. */
export async function readAll(input: Input): Promise<string> {
  const wait = waitForInput(input)
  try {
    return await boundedText(input.io.stdin as AsyncIterable<Uint8Array | string>)
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error
    throw new UsageError(`Cannot read standard input: ${error.message}.`, 'Split the input.')
  } finally {
    wait?.end()
  }
}

/** Reads a text file or named pipe. Throws system errors and `TooLongError`. */
export async function readLocalText(path: string, {waits}: Pick<Input, 'waits'>): Promise<string> {
  const wait = waits.begin(() => path)
  try {
    return await boundedText(readFileChunks(path))
  } finally {
    wait.end()
  }
}

/** Registers a wait for standard input; `undefined` at a terminal, where the user knows. */
export function waitForInput({io: {stdin}, waits}: Input): Wait | undefined {
  return stdin.isTTY ? undefined : waits.begin(() => 'standard input')
}
