import {scopeCatalog, type ScopeName, scopes} from '#lib/api/description/scopes.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {authorizeForOrganization, ssoOrganizations} from '#lib/service/oauth/store/organizations.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import type {User} from '#lib/service/store/users.js'
import {mintToken, type NewToken} from './mint-token.js'
import {
  type Level,
  permissionCatalog,
  type PermissionName,
  type Permissions,
} from './permissions.js'
import {requestedScopes, unknownScopes, unknownScopeText} from './scopes.js'

/** Creates the personal token of a form, or returns a sentence about an invalid field. See `readTokenForm`. */
export function makePersonalToken(
  {store, now}: Pick<OauthCall, 'store' | 'now'>,
  user: User,
  form: ReadonlyMap<string, string>,
): {readonly token: string} | string {
  const settings = readTokenForm(form, now)
  if (typeof settings === 'string') return settings
  return store.write(() => {
    const token = mintToken(store, {...settings, user}, now)
    if (settings.permissions) {
      const {id} = findToken(store, token, now)!
      for (const organization of ssoOrganizations(store, user, now)) {
        authorizeForOrganization(store, id, organization.id)
      }
    }
    return {token}
  })
}

const DAY = 24 * 60 * 60 * 1000

/** The lifetimes of personal tokens that the form offers, in days. */
export const LIFETIMES = [7, 30, 60, 90, 365] as const
/** The maximum lifetime in days. Only classic tokens may have no expiration date. */
const MAX_DAYS = 366

const NOTE_LIMIT = 100

type Form = ReadonlyMap<string, string>
type TokenSettings = Omit<NewToken, 'user' | 'clientId'>

/**
 * Returns the settings of a personal token from a form, or a sentence about an invalid field. Fields:
 * `kind` (`classic` or `fine`), `note`, `days` (1 to 366, or `none` for a classic token). A classic
 * token has its scopes in `scope` (separated by spaces) or as `scope:drive.file`, a fine-grained token
 * its permissions as `permission:files` with the value `read` or `write`.
 */
export function readTokenForm(form: Form, now: number): TokenSettings | string {
  const kind = form.get('kind') || 'classic'
  if (kind !== 'classic' && kind !== 'fine') return 'The kind must be "classic" or "fine".'
  const note = form.get('note')?.trim() ?? ''
  if (note === '') return 'Enter a name, so that you can recognize the token later.'
  if (note.length > NOTE_LIMIT) return `The name may have at most ${NOTE_LIMIT} characters.`
  const days = form.get('days') || '30'
  const isEndless = days === 'none' && kind === 'classic'
  if (!isEndless && !(/^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS)) {
    return kind === 'fine' && days === 'none'
      ? 'A fine-grained token must have an expiration date.'
      : `The expiration date must be 1 to ${MAX_DAYS} days from now.`
  }
  const common = {note, ...(!isEndless && {expiresAt: now + Number(days) * DAY})}
  if (kind === 'fine') {
    const permissions = readLevels(form)
    if (typeof permissions === 'string') return permissions
    return {...common, scopes: [], permissions}
  }
  const text = form.get('scope') ?? ''
  const unknown = unknownScopes(text)[0]
  if (unknown !== undefined) return unknownScopeText(unknown)
  const ticked = (Object.keys(scopeCatalog) as ScopeName[]).filter(name =>
    form.has(`scope:${name}`),
  )
  return {...common, scopes: requestedScopes([text, ...scopes(...ticked)].join(' '))}
}

function readLevels(form: Form): Permissions | string {
  const found: [PermissionName, Level][] = []
  for (const name of Object.keys(permissionCatalog) as PermissionName[]) {
    const level = form.get(`permission:${name}`) || 'none'
    if (level === 'read' || level === 'write') found.push([name, level])
    else if (level !== 'none') return `The permission "${name}" must be none, read or write.`
  }
  return Object.fromEntries(found)
}
