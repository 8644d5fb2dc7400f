import {sentenceFor} from '#lib/cli/explain/explain.js'
import {isStructured} from '#lib/cli/output/formats.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import type {Io} from '#lib/cli/terminal/io.js'
import {count, timeText} from '#lib/cli/terminal/units.js'
import {createWaits, LONG, type Waits} from '#lib/client/transport/waits.js'
import {harmlessLine} from '#lib/platform/sanitize.js'
import {isFull} from '#lib/platform/system-errors.js'

/** Milliseconds for which a bar shows below it what is waited for. */
const SHOWN = 5000

/** What a command says beside its results, on standard error, and to whom. */
export interface Notices {
  /** Takes a line for whoever asked for `--verbose`; `undefined` where nobody did. */
  readonly log: ((line: string) => void) | undefined
  /** Says something unless `--quiet`. */
  note(text: string): void
  /** The same, the first time only. */
  noteOnce(text: string): void
  /** Says why nothing happens for so many milliseconds: at a terminal always, elsewhere when that is long. */
  wait(text: string, milliseconds: number): void
  /** What is waited for; who waits long hears of it. */
  readonly waits: Waits
  /** Has `show` called for waits, where a line of its own would be in the way. */
  onWait(show: (text: string, milliseconds: number) => void): void
}

/** `now` is in milliseconds since any time. */
export function createNotices(
  io: Pick<Io, 'progress' | 'say' | 'log'>,
  {verbose, quiet, format}: GlobalOptions,
  now: () => number,
  later?: Parameters<typeof createWaits>[0]['later'],
): Notices {
  // Each is one line: a name in it forges no other.
  const say = (line: string) => io.say(harmlessLine(line))
  const note = (text: string) => {
    if (!quiet) say(text)
  }
  const told = new Set<string>()
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
      if (!told.has(text)) note(text)
      told.add(text)
    },
    wait(text, milliseconds) {
      // The log says more.
      if (log) return
      if (io.progress) return show(text, milliseconds)
      // What pauses together is told once.
      if (!isForPeople || milliseconds < LONG || now() - lastPause < LONG) return
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

/** `Still waiting for files.example.com after 10 s.` */
function waitText(what: string, milliseconds: number): string {
  return `Still waiting for ${what} after ${Math.round(milliseconds / 1000)} s.`
}

/** `The service failed: Backend Error. Next try in 3.0 s (2 of 6).` */
export function retryText(
  error: unknown,
  milliseconds: number,
  attempt: number,
  attempts: number,
): string {
  return `${sentenceFor(error)} Next try in ${timeText(milliseconds)} (${attempt} of ${attempts}).`
}

/** `3 requests in 0.4 s.` */
export function requestsText(requests: number, milliseconds: number): string {
  return `${count(requests, 'request')} in ${timeText(milliseconds)}.`
}

export function pauseText(milliseconds: number): string {
  return `The service asked for fewer requests. Going on in ${timeText(milliseconds)}.`
}

export function leftOutText(organizations: readonly string[]): string {
  return `Warning: single sign-on keeps this token out of some organizations, so their items are missing (${organizations.join(', ') || 'the service does not say which'}).`
}

/** For an error of the system that says that nothing can be written in a directory. */
export function journalLossText(directory: string, error: unknown): string {
  const {code = ''} = error as NodeJS.ErrnoException
  const why = isFull(code) ? 'the disk is full' : 'it cannot be written'
  return `Warning: nothing can be kept in ${directory} (${why}), so what is interrupted starts anew.`
}
