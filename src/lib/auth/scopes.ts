import {normalScopes, scopeValue} from '#lib/api/description/scopes.js'
import {printable} from '#lib/platform/sanitize.js'

/** What is asked for when nobody says: enough for every operation. */
const DEFAULT = ['drive', 'drive.appdata', 'drive.apps.readonly'] as const

/**
 * Full scope values from names separated by commas or blanks, in a fixed order and without those that others include:
 * the service counts tokens by this text (spec: authorization.md, Limits). Throws `UnknownScope` for an unknown short name.
 */
export function scopesToRequest(texts: readonly string[]): readonly string[] {
  return normalScopes(namesIn(texts).map(checkScope))
}

/** The same for a server that may have scopes of its own: names that are unknown stay as they are. */
export function scopesAnywhere(texts: readonly string[]): readonly string[] {
  return normalScopes(
    namesIn(texts).map(name => (TOKEN.test(name) ? (scopeValue(name) ?? name) : checkScope(name))),
  )
}

function namesIn(texts: readonly string[]): readonly string[] {
  const names = texts.flatMap(text => text.split(/[,\s]+/)).filter(Boolean)
  return names.length > 0 ? names : DEFAULT
}

/** What a scope may be made of (RFC 6749, section 3.3). */
const TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/** A short name that is none of the service's scopes. */
export class UnknownScope extends Error {
  constructor(readonly scope: string) {
    super(`There is no scope "${printable(scope, 80)}".`)
    this.name = 'UnknownScope'
  }
}

/** An address as a scope may be one (RFC 6749, section 3.3): it may be another service's, which knows it. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|urn:)[\x21\x23-\x5B\x5D-\x7E]+$/i

function checkScope(name: string): string {
  const value = scopeValue(name) ?? (ADDRESS.test(name) ? name : undefined)
  if (value === undefined) throw new UnknownScope(name)
  return value
}
