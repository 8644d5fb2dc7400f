import {tokensPageAddress} from '#lib/auth/check.js'
import {stores} from '#lib/auth/store/stores.js'
import {forgetToken} from '#lib/auth/store-token.js'
import {revokeStored} from '#lib/cli/account/revoke-stored.js'
import {removeCompletionFiles} from '#lib/cli/context/completion-file.js'
import {verb} from '#lib/cli/run/verb.js'
import {needed} from '#lib/config/paths.js'

export default verb({
  aliases: ['logout', 'signout'],
  summary: 'Sign out: forget the token of a profile on this machine.',
  description:
    'The token is deleted here. A standard authorization server is asked to end it as well; any other service knows it until you revoke it there.',
  examples: [
    ['Sign out', 'auth logout'],
    ['Sign out of another profile', 'auth logout --profile work'],
  ],
  effect: 'changes',
  columns: ['profile', 'signedOut', 'revoked'],
  async run(_input, context, printer) {
    const {directories: places, note, caches} = context
    const settings = await context.settings()
    const directory = needed('config', places)
    if (await printer.preview('sign out', `profile "${settings.profile}"`)) return
    const revoked = await revokeStored(context)
    const existed = await forgetToken({settings, openStore: stores(places), directory})
    await removeCompletionFiles(caches, settings.profile)
    const {profile, authUrl, clientId, embedded, environmentToken, tokenCommand, signIn} = settings
    note(
      existed
        ? `Signed out (profile "${profile}").`
        : `Nobody was signed in (profile "${profile}").`,
    )
    const review = `${authUrl}/settings/connections/applications/${encodeURIComponent(clientId)}`
    if (existed && signIn?.kind === 'personal') {
      const owner = signIn.user ? ` of ${signIn.user.login}` : ''
      note(
        `The service still knows the personal access token${owner}: its owner revokes it at ${tokensPageAddress(settings)}.`,
      )
    } else if (existed && revoked === 'revoked') {
      note(`${signIn?.server?.issuer} has ended the token as well.`)
    } else if (existed && signIn?.server?.issuer) {
      note(
        revoked === 'failed'
          ? `${signIn.server.issuer} was asked to end the token, and did not say that it has: end it there, where your account lists the apps that have access.`
          : `${signIn.server.issuer} cannot be asked to end the token: end it there, where your account lists the apps that have access.`,
      )
    } else if (existed && !embedded) {
      note(`To revoke the token at the service as well, open ${review} (\`drv auth review\`).`)
    }
    const variable =
      environmentToken === undefined ? tokenCommand && 'DRV_TOKEN_COMMAND' : 'DRV_TOKEN'
    if (variable) note(`${variable} is still set, and still used.`)
    if (printer.isStructured) {
      await printer.record({profile, signedOut: existed, revoked: revoked === 'revoked'})
    }
  },
})
