import {shortScope} from '#lib/api/description/scopes.js'
import {
  checkAppToken,
  checkUp,
  NotOfApp,
  otherToken,
  personalToken,
  tokensPageAddress,
} from '#lib/auth/check.js'
import {requireClientSecret} from '#lib/auth/client-secret.js'
import {stores} from '#lib/auth/store/stores.js'
import {refuseStandard} from '#lib/cli/account/profiles.js'
import {verb} from '#lib/cli/run/verb.js'
import {askSecret} from '#lib/cli/terminal/confirm.js'

const COLUMNS = [
  'valid',
  'app.clientId',
  'app.name',
  'user.login',
  'scopes',
  'createdAt',
  'expiresAt',
]

export default verb({
  summary: 'Verify the token in use with the client secret of its app.',
  description:
    'Shows app, user, scopes, creation date and expiry of the token. The check does not count as a use of the token. The client secret comes from DRV_CLIENT_SECRET, the token store or a prompt. Exits with code 4 if the token belongs to another app or is a personal access token. For a personal access token, the error names the owner of the token and the page to manage it.',
  examples: [['Verify the token in use', 'auth check']],
  effect: 'reads',
  columns: [...COLUMNS, 'user.id'],
  async run(_input, context, printer) {
    const {environment, directories: places, io, userAgent, signal, now} = context
    const settings = await context.settings()
    refuseStandard(
      settings,
      'endpoint to check tokens',
      'To check the token at the file service, run `drv auth status`.',
    )
    const session = await context.session()
    const token = await session.token()
    const sending = async () => {
      const [{baseUrl}, send] = await Promise.all([context.addresses(), context.send()])
      return {baseUrl, userAgent, signal, now, send}
    }
    const owned = () => checkUp(settings, session, sending, {state: places.state, now})
    const {clientId, environmentToken, tokenCommand, signIn} = settings
    const noted = (environmentToken ?? tokenCommand) === undefined ? signIn : undefined
    const page = tokensPageAddress(settings)
    if (noted?.kind === 'personal') throw personalToken(await owned(), page, noted.user?.login)

    const found = await requireClientSecret({
      settings,
      environment,
      openStore: stores(places),
      store: signIn?.store,
      ask: io.interactive ? question => askSecret(question, io, signal) : undefined,
    })
    const asked = {clientId, clientSecret: found.secret, token}
    const {scopes, ...check} = await checkAppToken(await sending(), asked).catch(
      async (error: unknown) => {
        if (!(error instanceof NotOfApp)) throw error
        throw otherToken(error, await owned(), {clientId, kind: noted?.kind}, page)
      },
    )
    await printer.record({valid: true, ...check, scopes: scopes.map(shortScope)}, COLUMNS)
  },
})
