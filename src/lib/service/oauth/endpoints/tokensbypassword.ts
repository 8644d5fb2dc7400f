import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {readBasic} from '#lib/service/oauth/guard/basic.js'
import {namedByLogin, refuseLocked} from '#lib/service/oauth/guard/lockout.js'
import {countAttempt} from '#lib/service/oauth/store/attempts.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {makePersonalToken} from '#lib/service/oauth/tokens/personaltoken.js'
import {kindOf, scopesOf} from '#lib/service/oauth/tokens/token.js'
import {userByLogin} from '#lib/service/store/users.js'
import {answer, isoSeconds, json, problem} from './apianswer.js'
import {readParameters, unreadable, UnreadableRequest} from './requestparameters.js'

/**
 * The non-web flow (spec: authorization.md, Authentication 6): Basic authentication makes a personal
 * token. The user name is a login; the password is empty, since accounts of the local service have
 * none, so any other one is wrong. No web page gets here: browsers say where a form comes from.
 */
export async function tokensByPassword(call: OauthCall): Promise<ServiceResponse> {
  const {store, now, request} = call
  const form = await readParameters(request).catch(unreadable)
  return answer(call, () => {
    if (form instanceof UnreadableRequest) throw problem(form.status, form.message)
    if (request.headers.origin !== undefined) throw problem(403, 'Use the form of the page.')
    const basic = readBasic(request.headers.authorization)
    const named = namedByLogin(store, basic?.user ?? '')
    refuseLocked(store, named, now)
    const user = basic && userByLogin(store, basic.user)
    if (!user || user.suspended || basic.password !== '') {
      countAttempt(store, named, now)
      throw problem(401, 'Bad credentials', {'WWW-Authenticate': 'Basic realm="drv"'})
    }
    const made = makePersonalToken(call, user, form)
    if (typeof made === 'string') throw problem(422, made)
    const found = findToken(store, made.token, now)!
    return json(201, {
      id: found.id,
      kind: kindOf(found),
      token: made.token,
      note: found.note,
      scopes: scopesOf(found),
      permissions: found.permissions,
      created_at: isoSeconds(found.created_at),
      expires_at: found.expires_at && isoSeconds(found.expires_at),
    })
  })
}
