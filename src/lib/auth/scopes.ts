import {scopeCatalogue, scopeValue} from '../api/description/scopes.js'
import {printable} from '../api/text.js'
import {SetupError} from '../config/errors.js'

/** What is asked for when nobody says: enough for every operation. */
const DEFAULT = ['drive', 'drive.appdata', 'drive.apps.readonly'] as const

/**
 * Full scope values from names in either spelling, separated by commas or blanks, each once.
 * Throws `SetupError('configuration')` for a name the service does not have.
 */
export function requestedScopes(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap(text => text.split(/[,\s]+/)).filter(Boolean)
  return [...new Set((names.length > 0 ? names : DEFAULT).map(checkScope))]
}

function checkScope(name: string): string {
  const value = scopeValue(name)
  if (value !== undefined) return value
  throw new SetupError(
    'configuration',
    `There is no scope "${printable(name, 80)}". Choose from ${Object.keys(scopeCatalogue).join(', ')}.`,
  )
}
