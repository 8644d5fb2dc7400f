import {styleText} from 'node:util'

/** What the words of a table or a sheet are to whoever reads them. */
export type Tone = 'header' | 'folder' | 'dim'

const STYLES = {header: 'bold', folder: 'blue', dim: 'dim'} as const

/** The text in the style of its tone. */
export function toned(text: string, tone: Tone | undefined): string {
  return tone === undefined || text === ''
    ? text
    : styleText(STYLES[tone], text, {validateStream: false})
}

/** What decides about colours besides the environment. */
export interface Colorable {
  /** `--no-color` or its variable. */
  readonly noColor: boolean
  readonly isTTY: boolean
}

/**
 * Whether escape sequences for colours go out: none at all where TERM is `dumb` or the flag says so;
 * in a pipe too with FORCE_COLOR or CLICOLOR_FORCE, which win over NO_COLOR as in Node itself.
 */
export function usesColor({noColor, isTTY}: Colorable, environment: NodeJS.ProcessEnv): boolean {
  const {FORCE_COLOR: force, CLICOLOR_FORCE: clicolor, NO_COLOR: never} = environment
  if (noColor || isDumb(environment)) return false
  if (force !== undefined) return !['0', 'false'].includes(force)
  if (clicolor && clicolor !== '0') return true
  return isTTY && !never
}

/** Whether the terminal takes escape sequences for text. */
export function isDumb({TERM}: NodeJS.ProcessEnv): boolean {
  return TERM === 'dumb'
}
