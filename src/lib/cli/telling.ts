import {isFull} from '../api/systemwords.js'
import type {GlobalOptions} from './context.js'
import {sentenceFor} from './explain.js'
import type {Io} from './io.js'
import {timeText} from './summary.js'

/** What a command says beside its results, on standard error, and to whom. */
export interface Telling {
  /** A line for whoever asked for `--debug`; `undefined` where nobody did. */
  readonly log: ((line: string) => void) | undefined
  /** Says something unless `--quiet`. */
  note(text: string): void
  /** The same, the first time only. */
  noteOnce(text: string): void
  /** Says to a person at a terminal why nothing happens for so many milliseconds. */
  wait(text: string, milliseconds: number): void
  /** Has `show` called for waits, where a line of its own would be in the way. */
  onWait(show: (text: string, milliseconds: number) => void): void
}

export function createTelling(io: Io, {debug, quiet}: GlobalOptions): Telling {
  const say = (line: string) => void io.stderr.write(`${line}\n`)
  const note = (text: string) => {
    if (!quiet) say(text)
  }
  const told = new Set<string>()
  const screens: Array<(text: string, milliseconds: number) => void> = []
  return {
    log: debug ? say : undefined,
    note,
    noteOnce(text) {
      if (!told.has(text)) note(text)
      told.add(text)
    },
    wait(text, milliseconds) {
      // The log says more.
      if (!io.progress || debug) return
      const show = screens.at(-1) ?? say
      show(text, milliseconds)
    },
    onWait: show => void screens.push(show),
  }
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

export function pauseText(milliseconds: number): string {
  return `The service asked for fewer requests. Going on in ${timeText(milliseconds)}.`
}

export function leftOutText(organizations: readonly string[]): string {
  return `Warning: single sign-on keeps this token out of some organizations, so their items are missing (${organizations.join(', ') || 'the service does not say which'}).`
}

/** For an error of the system that says that nothing can be written in a directory. */
export function lossText(directory: string, error: unknown): string {
  const {code = ''} = error as NodeJS.ErrnoException
  const why = isFull(code) ? 'the disk is full' : 'it cannot be written'
  return `Warning: nothing can be kept in ${directory} (${why}), so what is interrupted starts anew.`
}
