import type {Io} from './io.js'
import {percentText, sizeText, timeText} from './units.js'
import {fit, pad} from './width.js'

/** How transfers under way are drawn. Pure. */

export interface TransferStanding {
  readonly label: string
  /** Bytes. */
  readonly done: number
  /** Bytes of the whole, where known. */
  readonly total?: number
  /** Bytes a second; 0 while nobody knows. */
  readonly rate: number
}

/** Milliseconds between two drawings, and before the first: what is over sooner needs none. */
export const REDRAW = 150
export const FIRST = 400

const BAR = 24
const LABEL = 28

/** One line with a bar: `report.pdf  ████░░░░  42 %  4.2 MiB of 10.0 MiB  2.1 MiB/s  3 s left`. */
export function barLine(standing: TransferStanding, width: number): string {
  const {label, done, total} = standing
  const name = pad(fit(label, LABEL), LABEL)
  const share = total ? Math.min(1, done / total) : undefined
  const full = share === undefined ? 0 : Math.round(share * BAR)
  const bar = share === undefined ? '' : `${'█'.repeat(full)}${'░'.repeat(BAR - full)}  `
  const line = `${name}  ${bar}${figures(standing)}`
  if (line.length < width) return line
  return fit(`${pad(fit(label, 16), 16)}  ${figures(standing)}`, width - 1)
}

/** Things that have to be done before they tell how long the others will take. */
const ENOUGH = 10

/** One line for so many things: `████░░░░  42 %  420 of 1000  3 s left`; without a whole their number. */
export function countLine(done: number, total: number | undefined, milliseconds: number): string {
  if (!total) return `${done} done`
  const full = Math.round((done / total) * BAR)
  const left =
    done >= ENOUGH && milliseconds > 1000 ? (milliseconds / done) * (total - done) : undefined
  return [
    `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`,
    `${Math.floor((done / total) * 100)} %`,
    `${done} of ${total}`,
    ...(left === undefined ? [] : [`${timeText(left)} left`]),
  ].join('  ')
}

/** One line without a bar, for a log: `report.pdf: 42 %, 4.2 MiB of 10.0 MiB, 2.1 MiB/s, 3 s left`. */
export function logLine(standing: TransferStanding): string {
  return `${standing.label}: ${figures(standing, ', ')}`
}

function figures({done, total, rate}: TransferStanding, between = '  '): string {
  const percent = total ? percentText(done, total) : undefined
  const amount = total === undefined ? sizeText(done) : `${sizeText(done)} of ${sizeText(total)}`
  const left =
    rate > 0 && total !== undefined && total > done
      ? `${timeText(((total - done) / rate) * 1000)} left`
      : undefined
  const speed = rate > 0 ? `${sizeText(rate)}/s` : undefined
  return [percent, amount, speed, left].filter(Boolean).join(between)
}

/** A bar at a terminal for many things that have no bytes of their own. */
export interface Counter {
  show(done: number): void
  /** Wipes it away, until it is shown again. */
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
