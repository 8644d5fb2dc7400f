import {Flags} from '@oclif/core'
import {printable} from '#lib/platform/sanitize.js'
import type {OnProgress} from '#lib/transfer/types.js'
import type {Io} from './io.js'
import type {TransferState} from './progress-bar.js'
import {ranked} from './read-argv.js'

/** Shows the progress of transfers: bars at a terminal, elsewhere lines with `--progress`. */

export const progressFlag = {
  progress: ranked(
    1005,
    Flags.boolean({
      summary: 'Print progress every few seconds when not running in a terminal.',
    }),
  ),
}

/** Shows one or more concurrent transfers. */
export interface TransferProgress {
  /** Starts a transfer; call `onProgress` with its bytes, and `end` when it is over. */
  begin(label: string): {readonly onProgress: OnProgress; end(): void}
  /** Adds a line for all transfers together; `bytes` is their total, if known. */
  total(label: string, bytes: number | undefined): void
  /** Erases the bars until the next update. */
  wipe(): void
  /** Erases the bars permanently. */
  end(): void
}

/** The parts of the context that progress uses. */
interface ProgressContext {
  readonly io: Pick<Io, 'draws' | 'width' | 'stderr' | 'say' | 'log'>
  readonly options: {readonly quiet: boolean}
  /** Milliseconds since 1970. */
  now(): number
  onWait(show: (text: string, milliseconds: number) => void): void
}

/** Milliseconds between two lines. */
const LINE = 5000
/** The maximum number of bars. */
const MOST_BARS = 8

interface Row {
  readonly label: string
  readonly started: number
  /** Bytes transferred by an earlier run, which do not count for the rate. */
  first?: number
  done: number
  total?: number
}

export async function createProgress(
  {io, now, options, onWait}: ProgressContext,
  isWanted: boolean,
): Promise<TransferProgress> {
  const mode = io.draws ? 'bars' : isWanted && !options.quiet ? 'lines' : 'none'
  if (mode === 'none') return silent
  const [{barLine, FIRST, logLine, REDRAW}, {fit}] = await Promise.all([
    import('./progress-bar.js'),
    import('./width.js'),
  ])
  const rows = new Set<Row>()
  const begun = now()
  let all: Row | undefined
  let finished = 0
  let drawn = 0
  let last = mode === 'bars' ? begun + FIRST - REDRAW : begun
  /** The reason for a wait, shown below the bars. */
  let wait: {readonly text: string; readonly until: number} | undefined
  let isOver = false

  function stateOf({label, started, first = 0, done, total}: Row): TransferState {
    const seconds = (now() - started) / 1000
    return {label, done, total, rate: seconds > 0.2 ? (done - first) / seconds : 0}
  }

  function states(): TransferState[] {
    const own = [...rows].map(stateOf)
    if (!all) return own
    const done = finished + own.reduce((sum, row) => sum + row.done, 0)
    return [...own.slice(0, MOST_BARS), stateOf({...all, done})]
  }

  function wipe(): string {
    // Move up to the first bar and clear everything below.
    const text = drawn > 0 ? `\u001B[${drawn}A\r\u001B[J` : ''
    drawn = 0
    return text
  }

  function show(): void {
    const time = now()
    if (time - last < (mode === 'bars' ? REDRAW : LINE)) return
    last = time
    const list = states()
    if (mode === 'lines') {
      const shown = all ? list.slice(-1) : list
      for (const row of shown) io.log(logLine(row))
      return
    }
    if (wait && wait.until < time) wait = undefined
    const lines = list.map(row => barLine(row, io.width))
    if (wait) lines.push(fit(wait.text, io.width - 1))
    const before = wipe()
    drawn = lines.length
    io.stderr.write(before + lines.map(line => `${line}\n`).join(''))
  }

  if (mode === 'bars') {
    onWait((text, milliseconds) => {
      if (isOver) return io.say(text)
      wait = {text: printable(text), until: now() + milliseconds}
      last = -Infinity
      show()
    })
  }

  return {
    begin(label) {
      const row: Row = {label: printable(label, 200), started: now(), done: 0}
      rows.add(row)
      return {
        onProgress(done, total) {
          row.first ??= done < FIRST_BYTES ? 0 : done
          row.done = done
          row.total = total
          show()
        },
        end() {
          if (rows.delete(row)) finished += row.done
        },
      }
    },
    total(label, bytes) {
      all = {label: printable(label, 200), started: begun, done: 0, total: bytes}
    },
    wipe() {
      if (drawn > 0) io.stderr.write(wipe())
    },
    end() {
      if (drawn > 0) io.stderr.write(wipe())
      isOver = true
      rows.clear()
    },
  }
}

const silent: TransferProgress = {
  begin: () => ({onProgress: () => undefined, end: () => undefined}),
  total: () => undefined,
  wipe: () => undefined,
  end: () => undefined,
}

/** A transfer whose first progress is beyond this is a resumed one. */
const FIRST_BYTES = 8 * 1024 * 1024

/** Shows the progress of one transfer while `work` runs. */
export async function withProgress<T>(
  context: ProgressContext & {
    /** Shared by all transfers of the command. */
    readonly progress?: TransferProgress
    onEnd(close: () => void): void
  },
  {label, isWanted}: {readonly label: string; readonly isWanted: boolean},
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const shared = context.progress
  const progress = shared ?? (await createProgress(context, isWanted))
  // A signal can end the command while `work` is running.
  if (!shared) context.onEnd(progress.end)
  const {onProgress, end} = progress.begin(label)
  try {
    return await work(onProgress)
  } finally {
    end()
    if (!shared) progress.end()
  }
}
