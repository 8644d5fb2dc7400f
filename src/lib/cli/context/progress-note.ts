import {AGAIN} from '#lib/cli/explain/interruption.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'
import type {OnProgress} from '#lib/transfer/types.js'
import type {Context} from './context.js'

/**
 * Has an interrupted command tell how much of some content is done, and whether the next one goes on
 * from there. Gives what hears of the progress in place of `onProgress`.
 */
export function tellSoFar(
  {onInterrupt}: Pick<Context, 'onInterrupt'>,
  {label, done, isKept}: {label: string; done: 'sent' | 'received'; isKept: boolean},
  onProgress?: OnProgress,
): OnProgress {
  let at = 0
  let whole: number | undefined
  const words = () => {
    const name = printable(label, 100)
    // What goes up in one request is all there, or nothing.
    if (done === 'sent' && at === 0) return `it is not known whether the service has ${name}`
    const size = whole === undefined ? '' : ` of ${sizeText(whole)}`
    return `${sizeText(at)}${size} of ${name} ${at === 1 ? 'is' : 'are'} ${done}, the rest is not`
  }
  onInterrupt(() => ({
    words: words(),
    hint: isKept
      ? 'Run the same command again: it goes on where this one stopped.'
      : `${AGAIN.replace(/\.$/, '')}: it starts anew.`,
  }))
  return (bytes, total) => {
    at = bytes
    whole = total
    onProgress?.(bytes, total)
  }
}
