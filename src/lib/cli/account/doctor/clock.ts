import {type Check, ok, skipped, warning} from './check.js'

/** Milliseconds by which clocks may differ without anybody noticing. */
const NOTICEABLE = 60_000
/** By which certificates and tokens are taken for too old or too new. */
const HARMFUL = 5 * 60_000

/**
 * Compares this clock with that of a service. `date` is the header of its answer, `between` when the
 * request went and when the answer came, in milliseconds since 1970. Pure.
 */
export function clockCheck(
  date: string | undefined,
  between: readonly [sent: number, answered: number],
): Check {
  const theirs = date === undefined ? NaN : Date.parse(date)
  if (Number.isNaN(theirs)) return skipped('clock', 'the service does not tell its time')
  const [sent, answered] = between
  // The header has whole seconds, and was written at any time between the two.
  const ahead = Math.max(0, sent - (theirs + 1000))
  const behind = Math.max(0, theirs - answered)
  const off = Math.max(ahead, behind)
  if (off < NOTICEABLE) return ok('clock', 'agrees with that of the service')
  const found = `this clock is ${spoken(off)} ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`
  const advice = 'Set the clock of this machine, or have it set over the network.'
  return off < HARMFUL
    ? warning('clock', found, advice)
    : {name: 'clock', state: 'failed', found, advice, exit: 'setup'}
}

function spoken(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000)
  if (minutes < 120) return `${minutes} minute${minutes === 1 ? '' : 's'}`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
