import type {Io} from './io.js'
import {percentText, sizeText, timeText} from './units.js'
import {fit, pad} from './width.js'

/** Draws progress bars. Pure. */

export interface TransferState {
  readonly label: string
  /** Bytes. */
  readonly done: number
  /** Total bytes, if known. */
  readonly total?: number
  /** Bytes per second; 0 while unknown. */
  readonly rate: number
}

/** Milliseconds between two redraws, and before the first one; shorter commands show no bar. */
export const REDRAW = 150
export const FIRST = 400

const BAR = 24
const LABEL = 28

/** One line with a bar: `report.pdf  ████░░░░  42 %  4.2 MiB of 10.0 MiB  2.1 MiB/s  3 s left`. */
export function barLine(state: TransferState, width: number): string {
  const {label, done, total} = state
  const name = pad(fit(label, LABEL), LABEL)
  const share = total ? Math.min(1, done / total) : undefined
  const full = share === undefined ? 0 : Math.round(share * BAR)
  const bar = share === undefined ? '' : `${'█'.repeat(full)}${'░'.repeat(BAR - full)}  `
  const line = `${name}  ${bar}${figures(state)}`
  if (line.length < width) return line
  return fit(`${pad(fit(label, 16), 16)}  ${figures(state)}`, width - 1)
}

/** The number of completed items needed to estimate the remaining time. */
const MINIMUM_DONE = 10

/** One line for counted items: `████░░░░  42 %  420 of 1000  3 s left`; without a total, the number done. */
export function countLine(done: number, total: number | undefined, milliseconds: number): string {
  if (!total) return `${done} done`
  const full = Math.round((done / total) * BAR)
  const left =
    done >= MINIMUM_DONE && milliseconds > 1000 ? (milliseconds / done) * (total - done) : undefined
  return [
    `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`,
    `${Math.floor((done / total) * 100)} %`,
    `${done} of ${total}`,
    ...(left === undefined ? [] : [`${timeText(left)} left`]),
  ].join('  ')
}

/** One line without a bar, for a log: `report.pdf: 42 %, 4.2 MiB of 10.0 MiB, 2.1 MiB/s, 3 s left`. */
export function logLine(state: TransferState): string {
  return `${state.label}: ${figures(state, ', ')}`
}

function figures({done, total, rate}: TransferState, between = '  '): string {
  const percent = total ? percentText(done, total) : undefined
  const amount = total === undefined ? sizeText(done) : `${sizeText(done)} of ${sizeText(total)}`
  const left =
    rate > 0 && total !== undefined && total > done
      ? `${timeText(((total - done) / rate) * 1000)} left`
      : undefined
  const speed = rate > 0 ? `${sizeText(rate)}/s` : undefined
  return [percent, amount, speed, left].filter(Boolean).join(between)
}

/** A progress bar for items without sizes. */
export interface Counter {
  show(done: number): void
  /** Erases the bar until the next `show`. */
  wipe(): void
}

export function createCounter(
  {io, now}: {readonly io: Io; now(): number},
  total: number | undefined,
): Counter {
  const started = now()
  let last = started + FIRST - REDRAW
  let isDrawn = false
  return {
    show(done) {
      const time = now()
      if (!io.draws || time - last < REDRAW) return
      last = time
      isDrawn = true
      io.stderr.write(`\r${fit(countLine(done, total, time - started), io.width - 1)}\u001B[K`)
    },
    wipe() {
      if (isDrawn) io.stderr.write('\r\u001B[K')
      isDrawn = false
    },
  }
}
