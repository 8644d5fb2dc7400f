import {tokensPageAddress} from '#lib/auth/check.js'
import {stores} from '#lib/auth/store/stores.js'
import {forgetToken} from '#lib/auth/store-token.js'
import {revokeStored} from '#lib/cli/account/revoke-stored.js'
import {removeCompletionFiles} from '#lib/cli/context/completion-file.js'
import {verb} from '#lib/cli/run/verb.js'
import {requiredDirectory} from '#lib/config/paths.js'

export default verb({
  aliases: ['logout', 'signout'],
  summary: 'Sign out of a profile and delete its token.',
  description:
    'Deletes the token on this machine. At a standard authorization server, the token is also revoked; at any other service, it stays valid until you revoke it there.',
  examples: [
    ['Sign out', 'auth logout'],
    ['Sign out of another profile', 'auth logout --profile work'],
  ],
  effect: 'changes',
  columns: ['profile', 'signedOut', 'revoked'],
  async run(_input, context, printer) {
    const {directories: places, note, caches} = context
    const settings = await context.settings()
    const directory = requiredDirectory('config', places)
    if (await printer.preview('sign out', `profile "${settings.profile}"`)) return
    const revoked = await revokeStored(context)
    const existed = await forgetToken({settings, openStore: stores(places), directory})
    await removeCompletionFiles(caches, settings.profile)
    const {profile, authUrl, clientId, embedded, environmentToken, tokenCommand, signIn} = settings
    note(existed ? `Signed out (profile "${profile}").` : `Not signed in (profile "${profile}").`)
    const review = `${authUrl}/settings/connections/applications/${encodeURIComponent(clientId)}`
    if (existed && signIn?.kind === 'personal') {
      const owner = signIn.user ? ` of ${signIn.user.login}` : ''
      note(
        `The personal access token${owner} is still valid. To revoke it, open ${tokensPageAddress(settings)}.`,
      )
    } else if (existed && revoked === 'revoked') {
      note(`Revoked the token at ${signIn?.server?.issuer}.`)
    } else if (existed && signIn?.server?.issuer) {
      note(
        revoked === 'failed'
          ? `Could not revoke the token at ${signIn.server.issuer}. Revoke it there, in the list of connected apps of your account.`
          : `${signIn.server.issuer} does not support revocation. Revoke the token there, in the list of connected apps of your account.`,
      )
    } else if (existed && !embedded) {
      note(
        `The token is still valid at the service. To revoke it, open ${review} (\`drv auth review\`).`,
      )
    }
    const variable =
      environmentToken === undefined ? tokenCommand && 'DRV_TOKEN_COMMAND' : 'DRV_TOKEN'
    if (variable) note(`${variable} is still set and still used.`)
    if (printer.isStructured) {
      await printer.record({profile, signedOut: existed, revoked: revoked === 'revoked'})
    }
  },
})
