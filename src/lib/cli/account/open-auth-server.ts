import {authServiceOf, namingAuthService} from '#lib/auth/errors.js'
import {createAuthServer} from '#lib/auth/server/auth-server.js'
import {createPost} from '#lib/auth/server/form-post.js'
import type {Context} from '#lib/cli/context/context.js'

/** The authorization service, and how its errors come to name it. */
export async function openAuthServer(context: Context) {
  const {signal, userAgent, now} = context
  const [settings, {authUrl, owner}, send] = await Promise.all([
    context.settings(),
    context.addresses(),
    context.send(),
  ])
  const place = authServiceOf(settings, authUrl)
  const post = createPost({authUrl, userAgent, headers: owner?.headers, signal, send})
  return {
    server: createAuthServer({authUrl, clientId: settings.clientId, post, now}),
    blame: (error: unknown): never => {
      throw namingAuthService(error, place)
    },
  }
}
