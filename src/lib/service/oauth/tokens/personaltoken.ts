import type {OauthCall} from '#lib/service/oauth/call.js'
import {authorizeForOrganization, ssoOrganizations} from '#lib/service/oauth/store/organizations.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import type {User} from '#lib/service/store/users.js'
import {mintToken} from './minttoken.js'
import {readTokenWish} from './tokenwish.js'

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
