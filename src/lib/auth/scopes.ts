import {normalScopes, scopeValue, unknownScopeText} from '#lib/api/description/scopes.js'
import {printable} from '#lib/platform/sanitize.js'

/** The default scopes, which are sufficient for every operation. */
const DEFAULT = ['drive', 'drive.appdata', 'drive.apps.readonly'] as const

/**
 * Full scope values from names separated by commas or blanks, in a fixed order and without scopes that others include,
 * because the service counts tokens by this text (spec: authorization.md, Limits). Throws `UnknownScope`.
 */
export function scopesToRequest(texts: readonly string[]): readonly string[] {
  return normalScopes(namesIn(texts).map(checkScope))
}

/** Like `scopesToRequest`, for a server that may have other scopes: unknown names stay unchanged. */
export function scopesAnywhere(texts: readonly string[]): readonly string[] {
  return normalScopes(
    namesIn(texts).map(name => (TOKEN.test(name) ? (scopeValue(name) ?? name) : checkScope(name))),
  )
}

function namesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap(text => text.split(/[,\s]+/)).filter(Boolean)
  return names.length > 0 ? names : DEFAULT
}

/** The characters of a scope (RFC 6749, section 3.3). */
const TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/** The error for an unknown short name of a scope. */
export class UnknownScope extends Error {
  constructor(readonly scope: string) {
    super(unknownScopeText(printable(scope, 80)))
    this.name = 'UnknownScope'
  }
}

/** A scope that is an address (RFC 6749, section 3.3), possibly of another service. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|urn:)[\x21\x23-\x5B\x5D-\x7E]+$/i

function checkScope(name: string): string {
  const value = scopeValue(name) ?? (ADDRESS.test(name) ? name : undefined)
  if (value === undefined) throw new UnknownScope(name)
  return value
}
