import {styleText} from 'node:util'

/** The role of a text in a table or sheet, which decides its style. */
export type Tone = 'header' | 'folder' | 'dim'

const STYLES = {header: 'bold', folder: 'blue', dim: 'dim'} as const

/** Applies the style of a tone. */
export function colorize(text: string, tone: Tone | undefined): string {
  return tone === undefined || text === ''
    ? text
    : styleText(STYLES[tone], text, {validateStream: false})
}

/** The settings that decide about color, besides the environment. */
export interface Colorable {
  /** `--no-color` or its variable. */
  readonly noColor: boolean
  readonly isTTY: boolean
}

/**
 * Whether to print color: never with `--no-color` or TERM=dumb; in a pipe only with FORCE_COLOR or
 * CLICOLOR_FORCE, which override NO_COLOR as in Node.
 */
export function usesColor({noColor, isTTY}: Colorable, environment: NodeJS.ProcessEnv): boolean {
  const {FORCE_COLOR: force, CLICOLOR_FORCE: clicolor, NO_COLOR: never} = environment
  if (noColor || isDumb(environment)) return false
  if (force !== undefined) return !['0', 'false'].includes(force)
  if (clicolor && clicolor !== '0') return true
  return isTTY && !never
}

/** Whether the terminal does not support escape sequences. */
export function isDumb({TERM}: NodeJS.ProcessEnv): boolean {
  return TERM === 'dumb'
}
