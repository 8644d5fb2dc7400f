import {isPrintable, printable} from '../../api/text.js'
import type {Candidate} from './decide.js'

/** What the scripts of the shells are told. Pure. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The most characters of a candidate, and of what it is about. */
const MOST = {value: 4000, about: 80} as const

/** What is offered: candidates, whole words; or that the shell completes names of files itself. */
export interface Offer {
  readonly candidates: readonly Candidate[]
  readonly isFiles: boolean
}

/**
 * The lines for a shell. The first one says what the others are: `files` where the shell completes
 * names of files itself, `open` where no blank follows the only candidate, else `words`. For bash a
 * candidate is what stands behind `kept`; for zsh it has `=` in front where no blank follows it and
 * `+` where one does, and for both others a tab and what it is about behind it. What could steer a
 * terminal, or is more than a line, is left out.
 */
export function answerFor(shell: Shell, {candidates, isFiles}: Offer, kept = ''): string {
  if (isFiles) return 'files\n'
  const shown = candidates.filter(({value}) => isPrintable(value, MOST.value))
  const fitting = shell === 'bash' ? shown.filter(({value}) => value.startsWith(kept)) : shown
  const head = fitting.every(({isOpen}) => isOpen) ? 'open' : 'words'
  const lines = fitting.map(candidate => lineFor(shell, candidate, kept))
  return [head, ...lines, ''].join('\n')
}

function lineFor(shell: Shell, {value, about, isOpen}: Candidate, kept: string): string {
  if (shell === 'bash') return value.slice(kept.length)
  const whole = about === undefined ? value : `${value}\t${printable(about, MOST.about)}`
  return shell === 'fish' ? whole : `${isOpen ? '=' : '+'}${whole}`
}
