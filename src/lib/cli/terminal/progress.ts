import {Flags} from '@oclif/core'
import {printable} from '#lib/platform/sanitize.js'
import type {OnProgress} from '#lib/transfer/types.js'
import type {Io} from './io.js'
import type {TransferStanding} from './progress-bar.js'
import {ranked} from './read-argv.js'

/** What a person sees of transfers: bars at a terminal, lines every few seconds where they are asked for. */

export const progressFlag = {
  progress: ranked(
    1005,
    Flags.boolean({
      summary: 'Write a line about the progress every few seconds, where there is no terminal.',
    }),
  ),
}

/** Shows transfers; several may be under way at once. */
export interface TransferProgress {
  /** A transfer begins; the function it gives hears how far it is, `end` that it is over. */
  begin(label: string): {readonly onProgress: OnProgress; end(): void}
  /** A line for all of them together, with so many bytes at the end where that is known. */
  total(label: string, bytes: number | undefined): void
  /** Wipes the bars away, until there is something new. */
  wipe(): void
  /** Wipes the bars away for good. */
  end(): void
}

/** What of a command's context progress needs. */
interface Surroundings {
  readonly io: Pick<Io, 'draws' | 'width' | 'stderr' | 'say' | 'log'>
  readonly options: {readonly quiet: boolean}
  /** Milliseconds since 1970. */
  now(): number
  onWait(show: (text: string, milliseconds: number) => void): void
}

/** Milliseconds between two lines of a log. */
const LINE = 5000
/** More bars than this only flicker. */
const MOST_BARS = 8

interface Row {
  readonly label: string
  readonly started: number
  /** What was there when it began counts for no speed. */
  first?: number
  done: number
  total?: number
}

export async function createProgress(
  {io, now, options, onWait}: Surroundings,
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
  /** Why something waits, below the bars while it does. */
  let wait: {readonly text: string; readonly until: number} | undefined
  let isOver = false

  function standing({label, started, first = 0, done, total}: Row): TransferStanding {
    const seconds = (now() - started) / 1000
    return {label, done, total, rate: seconds > 0.2 ? (done - first) / seconds : 0}
  }

  function standings(): TransferStanding[] {
    const own = [...rows].map(standing)
    if (!all) return own
    const done = finished + own.reduce((sum, row) => sum + row.done, 0)
    return [...own.slice(0, MOST_BARS), standing({...all, done})]
  }

  function wipe(): string {
    // Up to the first bar, and everything below away.
    const text = drawn > 0 ? `\u001B[${drawn}A\r\u001B[J` : ''
    drawn = 0
    return text
  }

  function show(): void {
    const time = now()
    if (time - last < (mode === 'bars' ? REDRAW : LINE)) return
    last = time
    const list = standings()
    if (mode === 'lines') {
      const told = all ? list.slice(-1) : list
      for (const row of told) io.log(logLine(row))
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

/** A transfer that begins farther in goes on where an earlier one stopped. */
const FIRST_BYTES = 8 * 1024 * 1024

/** Shows one transfer while `work` does it. */
export async function withProgress<T>(
  context: Surroundings & {
    /** Shows all transfers of the command. */
    readonly progress?: TransferProgress
    onEnd(close: () => void): void
  },
  {label, isWanted}: {readonly label: string; readonly isWanted: boolean},
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const shared = context.progress
  const progress = shared ?? (await createProgress(context, isWanted))
  // A signal ends the command while `work` is still at it.
  if (!shared) context.onEnd(progress.end)
  const {onProgress, end} = progress.begin(label)
  try {
    return await work(onProgress)
  } finally {
    end()
    if (!shared) progress.end()
  }
}
