import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {type BashLine, quotedForBash} from './bash-line.js'
import type {Candidate} from './decide.js'
import bash from './scripts/drv.bash?raw'
import fish from './scripts/drv.fish?raw'
import zsh from './scripts/drv.zsh?raw'

/**
 * What a Tab offers is decided and looked up here, and the scripts that ask for it live here. Paths and
 * what they lead to belong to ../naming. This file words what the scripts of the shells are told. Pure.
 */

/** What of a word readline leaves alone. */
type BashPlace = Pick<BashLine, 'kept' | 'quote'>

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** The most candidates; the most characters of one, and of what it is about. */
const MOST = {candidates: 1000, value: 4000, about: 80} as const

/** What is offered: candidates, whole words; or that the shell completes names of files itself. */
export interface Offer {
  readonly candidates: readonly Candidate[]
  readonly isFiles: boolean
}

/**
 * The lines for a shell. The first one says what the others are: `files` where the shell completes
 * names of files itself, else `words`. For bash a candidate is what readline puts at `place`, quoted,
 * with the blank that follows it; for zsh it has `=` in front where no blank follows it and
 * `+` where one does, and for both others a tab and what it is about behind it. What could steer a
 * terminal, or is more than a line, is left out, and so is what a shell would take long for.
 */
export function answerFor(shell: Shell, {candidates, isFiles}: Offer, place = START): string {
  if (isFiles) return 'files\n'
  const shown = few(candidates.filter(({value}) => isPrintable(value, MOST.value)))
  const lines = shell === 'bash' ? bashLines(shown, place) : shown.map(one => lineFor(shell, one))
  return ['words', ...lines, ''].join('\n')
}

/** At most so many, with the first and the last of all: a shell inserts what all of them begin with. */
function few(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length <= MOST.candidates) return candidates
  const sorted = [...candidates].sort((one, other) => (one.value < other.value ? -1 : 1))
  return [...sorted.slice(0, MOST.candidates - 1), ...sorted.slice(-1)]
}

const START: BashPlace = {kept: '', quote: ''}

/** Readline ends an open quote by itself; only outside of them it can be told of the blank. */
function bashLines(candidates: readonly Candidate[], {kept, quote}: BashPlace): readonly string[] {
  const fitting = candidates.filter(({value}) => value.startsWith(kept))
  const texts = fitting.map(({value}) => value.slice(kept.length))
  return quotedForBash(texts, quote, kept === '').map((text, at) =>
    fitting[at]!.isOpen || quote !== '' ? text : `${text} `,
  )
}

function lineFor(shell: Shell, {value, about, isOpen}: Candidate): string {
  const whole = about === undefined ? value : `${value}\t${printable(about, MOST.about)}`
  return shell === 'fish' ? whole : `${isOpen ? '=' : '+'}${whole}`
}

/** The scripts that have a shell ask drv what completes a line; `answerFor` says what it answers. */
export const scripts: Readonly<Record<Shell, string>> = {bash, zsh, fish}
