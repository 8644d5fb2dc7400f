import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, timeText} from '#lib/cli/terminal/units.js'

interface Counted {
  /** How many there are, where that is known. */
  readonly total?: number
  readonly failFast: boolean
  /** There is something that notes what is done. */
  readonly checkpoint?: unknown
  /** How to go on after a failure, where that is not known by the above. */
  readonly goOn?: string
  /** Something may have been sent that was not answered yet. */
  readonly isUnderWay: () => boolean
}

/** Counts, and what is said of them at the end or when it is interrupted. */
export function createTally(
  context: Pick<Context, 'now' | 'note' | 'onInterrupt' | 'onEnd'>,
  {total, failFast, checkpoint, goOn, isUnderWay}: Counted,
) {
  const started = context.now()
  let done = 0
  let failed = 0
  let before = 0
  let isTold = false
  const left = () => (total === undefined ? undefined : total - done - failed - before)

  function summary(): string {
    const parts = [
      `${done} done`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(before > 0 ? [`${before} done before`] : []),
      ...(left() ? [`${left()} not begun`] : []),
    ]
    return `${parts.join(', ')} in ${timeText(context.now() - started)}.`
  }

  const tell = (prefix: string) => {
    if (!isTold) context.note(prefix + summary())
    isTold = true
  }

  const again = checkpoint
    ? 'Run the same command again: it does only what is left.'
    : (goOn ?? 'With --checkpoint FILE the same command, run again, does only what is left.')
  context.onInterrupt(() => {
    if (done + failed === 0 && !isUnderWay()) return NOTHING_DONE
    const words = [
      `${done} are done`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(isUnderWay() ? ['of those under way the service may have done some'] : []),
      'the rest is not',
    ]
    return {words: words.join(', '), hint: again}
  })
  context.onEnd(() => {
    if (done + failed > 0) tell('Stopped early: ')
  })

  return {
    done: () => void (done += 1),
    failed: () => void (failed += 1),
    skipped: (number: number) => void (before += number),
    ended: () => done + failed + before,
    /** Says what came of all; throws `CommandError('partial')` when some failed. */
    conclude(): void {
      const isNothing = done + failed + before === 0
      if (isNothing) isTold = true
      tell(failFast && failed > 0 ? 'Stopped at the first failure: ' : '')
      if (failed === 0) return
      const rest = done === 0 ? 'nothing' : failFast ? `${done}` : 'the rest'
      throw new CommandError(
        'partial',
        `${failed} of ${count(done + failed, 'thing')} failed; ${rest} was done.`,
        again,
      )
    },
  }
}
