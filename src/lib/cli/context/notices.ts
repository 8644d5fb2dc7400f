import {errorSentence} from '#lib/cli/explain/explain.js'
import {isStructured} from '#lib/cli/output/formats.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import type {Io} from '#lib/cli/terminal/io.js'
import {count, timeText} from '#lib/cli/terminal/units.js'
import {createWaits, LONG_WAIT, type Waits} from '#lib/client/transport/waits.js'
import {harmlessLine} from '#lib/platform/sanitize.js'
import {isFull} from '#lib/platform/system-errors.js'

/** How long a progress bar shows a pending wait below it, in milliseconds. */
const SHOWN = 5000

/** Prints notices to standard error, depending on `--verbose`, `--quiet` and `--format`. */
export interface Notices {
  /** Prints a line of the verbose log; `undefined` without `--verbose`. */
  readonly log: ((line: string) => void) | undefined
  /** Prints a notice, unless `--quiet` is set. */
  note(text: string): void
  /** Like `note`, but prints the same notice only once. */
  noteOnce(text: string): void
  /** Prints the reason for a wait: always at a terminal, otherwise only for waits of at least ten seconds. */
  wait(text: string, milliseconds: number): void
  /** The pending waits. Prints a notice for each long one. */
  readonly waits: Waits
  /** Calls `show` for waits instead of printing a line, which would disturb a progress bar. */
  onWait(show: (text: string, milliseconds: number) => void): void
}

/** `now` returns milliseconds since any fixed time. */
export function createNotices(
  io: Pick<Io, 'progress' | 'say' | 'log'>,
  {verbose, quiet, format}: GlobalOptions,
  now: () => number,
  later?: Parameters<typeof createWaits>[0]['later'],
): Notices {
  // Each notice is one line, so that a file name in it cannot forge another notice.
  const say = (line: string) => io.say(harmlessLine(line))
  const note = (text: string) => {
    if (!quiet) say(text)
  }
  const shown = new Set<string>()
  const screens: Array<(text: string, milliseconds: number) => void> = []
  const isForPeople = !quiet && !isStructured(format)
  let lastPause = -Infinity
  const log = verbose ? (line: string) => io.log(harmlessLine(line)) : undefined
  const show = (text: string, milliseconds: number) => {
    const screen = screens.at(-1) ?? say
    screen(text, milliseconds)
  }
  return {
    log,
    note,
    noteOnce(text) {
      if (!shown.has(text)) note(text)
      shown.add(text)
    },
    wait(text, milliseconds) {
      // The verbose log shows more.
      if (log) return
      if (io.progress) return show(text, milliseconds)
      // Simultaneous pauses are shown once.
      if (!isForPeople || milliseconds < LONG_WAIT || now() - lastPause < LONG_WAIT) return
      lastPause = now()
      say(text)
    },
    waits: createWaits({
      now,
      later,
      tell: (what, milliseconds) => {
        if (isForPeople) show(waitText(what, milliseconds), SHOWN)
      },
    }),
    onWait: show => void screens.push(show),
  }
}

/** `Still waiting for files.example.com (10 s) …` */
function waitText(what: string, milliseconds: number): string {
  return `Still waiting for ${what} (${Math.round(milliseconds / 1000)} s) …`
}

/** `The service failed: Backend Error. Retrying in 3.0 s (attempt 2 of 6).` */
export function retryText(
  error: unknown,
  milliseconds: number,
  attempt: number,
  attempts: number,
): string {
  return `${errorSentence(error)} Retrying in ${timeText(milliseconds)} (attempt ${attempt} of ${attempts}).`
}

/** `3 requests in 0.4 s.` */
export function requestsText(requests: number, milliseconds: number): string {
  return `${count(requests, 'request')} in ${timeText(milliseconds)}.`
}

export function pauseText(milliseconds: number): string {
  return `Rate limit reached. Resuming in ${timeText(milliseconds)}.`
}

export function skippedOrganizationsText(organizations: readonly string[]): string {
  return `Warning: results omit items of organizations that require single sign-on for this token (${organizations.join(', ') || 'the service does not name them'}).`
}

/** The warning for a system error on writing to the state directory. */
export function journalLossText(directory: string, error: unknown): string {
  const {code = ''} = error as NodeJS.ErrnoException
  const why = isFull(code) ? 'the disk is full' : 'it is not writable'
  return `Warning: cannot save progress in ${directory} (${why}). Interrupted transfers will restart from the beginning.`
}
