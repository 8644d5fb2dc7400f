import {scopeCatalog, type ScopeName, scopes} from '#lib/api/description/scopes.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {authorizeForOrganization, ssoOrganizations} from '#lib/service/oauth/store/organizations.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import type {User} from '#lib/service/store/users.js'
import {mintToken, type NewToken} from './mint-token.js'
import {
  type Level,
  permissionCatalogue,
  type PermissionName,
  type Permissions,
} from './permissions.js'
import {requestedScopes, unknownScopes} from './scopes.js'

/** Makes the personal token that a form asks for, or says what is wrong. See `readTokenWish`. */
export function makePersonalToken(
  {store, now}: Pick<OauthCall, 'store' | 'now'>,
  user: User,
  form: ReadonlyMap<string, string>,
): {readonly token: string} | string {
  const wish = readTokenWish(form, now)
  if (typeof wish === 'string') return wish
  return store.write(() => {
    const token = mintToken(store, {...wish, user}, now)
    if (wish.permissions) {
      const {id} = findToken(store, token, now)!
      for (const organization of ssoOrganizations(store, user, now)) {
        authorizeForOrganization(store, id, organization.id)
      }
    }
    return {token}
  })
}

const DAY = 24 * 60 * 60 * 1000

/** How long a personal token may live, in days. */
export const LIFETIMES = [7, 30, 60, 90, 365] as const
/** A fine-grained token has an end. */
const LONGEST_FINE = 366

const NOTE_LIMIT = 100

type Form = ReadonlyMap<string, string>
type Wish = Omit<NewToken, 'user' | 'clientId'>

/**
 * The personal token a form asks for, or a sentence that says what is wrong. Fields: `kind`
 * (`classic` or `fine`), `note`, `days` (1 to 366, or `none` for a classic one). Scopes of a classic
 * one stand in `scope` (delimited by spaces) or as `scope:drive.file`; permissions of a fine-grained
 * one as `permission:files` with `read` or `write`.
 */
export function readTokenWish(form: Form, now: number): Wish | string {
  const kind = form.get('kind') || 'classic'
  if (kind !== 'classic' && kind !== 'fine') return 'A token is classic or fine.'
  const note = form.get('note')?.trim() ?? ''
  if (note === '') return 'Say what the token is for, so that you will know it again.'
  if (note.length > NOTE_LIMIT) return `The note may have ${NOTE_LIMIT} characters at most.`
  const days = form.get('days') || '30'
  const isEndless = days === 'none' && kind === 'classic'
  if (
    !isEndless &&
    !(/^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= LONGEST_FINE)
  ) {
    return kind === 'fine' && days === 'none'
      ? 'A fine-grained token must have an end.'
      : `A token lives from 1 to ${LONGEST_FINE} days.`
  }
  const common = {note, ...(!isEndless && {expiresAt: now + Number(days) * DAY})}
  if (kind === 'fine') {
    const permissions = readLevels(form)
    if (typeof permissions === 'string') return permissions
    return {...common, scopes: [], permissions}
  }
  const text = form.get('scope') ?? ''
  const unknown = unknownScopes(text)[0]
  if (unknown !== undefined) return `There is no scope ${unknown}.`
  const ticked = (Object.keys(scopeCatalog) as ScopeName[]).filter(name =>
    form.has(`scope:${name}`),
  )
  return {...common, scopes: requestedScopes([text, ...scopes(...ticked)].join(' '))}
}

function readLevels(form: Form): Permissions | string {
  const found: [PermissionName, Level][] = []
  for (const name of Object.keys(permissionCatalogue) as PermissionName[]) {
    const level = form.get(`permission:${name}`) || 'none'
    if (level === 'read' || level === 'write') found.push([name, level])
    else if (level !== 'none') return `The permission ${name} is none, read or write.`
  }
  return Object.fromEntries(found)
}
