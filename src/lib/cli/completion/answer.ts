import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {type BashLine, quotedForBash} from './bash-line.js'
import type {CompletionCandidate} from './decide.js'
import bash from './scripts/drv.bash?raw'
import fish from './scripts/drv.fish?raw'
import zsh from './scripts/drv.zsh?raw'

/**
 * Shell completion: this folder parses the command line, finds the candidates and holds the scripts for
 * the shells. This file formats the output for the scripts. Pure.
 */

/** The start of the current word that readline does not replace, and the open quote. */
type BashPlace = Pick<BashLine, 'kept' | 'quote'>

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Maximum number of candidates, and maximum lengths of a candidate and of its description in characters. */
const MOST = {candidates: 1000, value: 4000, about: 80} as const

/** The result of a completion: candidates as whole words, or `isFiles` if the shell completes local files itself. */
export interface Offer {
  readonly candidates: readonly CompletionCandidate[]
  readonly isFiles: boolean
}

/**
 * The output for a shell. The first line is `files` if the shell completes local files itself, otherwise
 * `words`, followed by one candidate per line:
 *
 * - bash: the quoted text that readline inserts at `place`, with a trailing space for a complete word;
 * - zsh: `+` for a complete word or `=` for one that continues, the word, a tab and its description;
 * - fish: the word, a tab and its description.
 *
 * Omits candidates with control characters and very long ones, and limits the number of candidates.
 */
export function completionFor(shell: Shell, {candidates, isFiles}: Offer, place = START): string {
  if (isFiles) return 'files\n'
  const shown = few(candidates.filter(({value}) => isPrintable(value, MOST.value)))
  const lines = shell === 'bash' ? bashLines(shown, place) : shown.map(one => lineFor(shell, one))
  return ['words', ...lines, ''].join('\n')
}

/** At most 1,000 candidates. The first and last in order are kept, so that their common prefix stays the same. */
function few(candidates: readonly CompletionCandidate[]): readonly CompletionCandidate[] {
  if (candidates.length <= MOST.candidates) return candidates
  const sorted = [...candidates].sort((one, other) => (one.value < other.value ? -1 : 1))
  return [...sorted.slice(0, MOST.candidates - 1), ...sorted.slice(-1)]
}

const START: BashPlace = {kept: '', quote: ''}

/** Adds a space after complete words, except inside quotes, where readline closes the quote itself. */
function bashLines(
  candidates: readonly CompletionCandidate[],
  {kept, quote}: BashPlace,
): readonly string[] {
  const fitting = candidates.filter(({value}) => value.startsWith(kept))
  const texts = fitting.map(({value}) => value.slice(kept.length))
  return quotedForBash(texts, quote, kept === '').map((text, at) =>
    fitting[at]!.isOpen || quote !== '' ? text : `${text} `,
  )
}

function lineFor(shell: Shell, {value, about, isOpen}: CompletionCandidate): string {
  const whole = about === undefined ? value : `${value}\t${printable(about, MOST.about)}`
  return shell === 'fish' ? whole : `${isOpen ? '=' : '+'}${whole}`
}

/** The completion scripts. They run drv and read the output of `completionFor`. */
export const scripts: Readonly<Record<Shell, string>> = {bash, zsh, fish}
