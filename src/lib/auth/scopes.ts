import {scopeCatalogue, scopeValue} from '../api/description/scopes.js'
import {normalScopes} from '../api/scopes.js'
import {printable} from '../api/text.js'
import {SetupError} from '../config/errors.js'

/** What is asked for when nobody says: enough for every operation. */
const DEFAULT = ['drive', 'drive.appdata', 'drive.apps.readonly'] as const

/**
 * Full scope values from names in either spelling, separated by commas or blanks: always in the
 * same order, and without what another one holds, because the service counts tokens by the text
 * that was asked for (spec: authorization.md, Limits).
 * Throws `SetupError('configuration')` for a name the service does not have.
 */
export function requestedScopes(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap(text => text.split(/[,\s]+/)).filter(Boolean)
  return normalScopes((names.length > 0 ? names : DEFAULT).map(checkScope))
}

function checkScope(name: string): string {
  const value = scopeValue(name)
  if (value !== undefined) return value
  throw new SetupError(
    'configuration',
    `There is no scope "${printable(name, 80)}". Choose from ${Object.keys(scopeCatalogue).join(', ')}.`,
  )
}
