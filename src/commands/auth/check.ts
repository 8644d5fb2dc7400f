import {shortScope} from '#lib/api/description/scopes.js'
import {checkAppToken, NotOfApp} from '#lib/auth/check.js'
import {checkUp} from '#lib/auth/checkup.js'
import {otherToken, personalToken, tokensPageAddress} from '#lib/auth/personal.js'
import {findClientSecret} from '#lib/auth/secret.js'
import {stores} from '#lib/auth/store/index.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {askSecret} from '#lib/cli/terminal/confirm.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class Check extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Ask the service, as the app, whether the token in use is valid.'
  static override description =
    'Shows which app got the token, when, for whom and with which scopes, and does not count as using it. Needs the secret of the app: the stored one, DRV_CLIENT_SECRET, or what you type. Ends with code 4 when the token is none of that app, such as a personal access token, of which it tells the owner and the page.'
  static override examples = examplesOf([['Check the token in use', 'auth check']])

  protected override columnNames() {
    return [...COLUMNS, 'user.id']
  }

  protected override async execute(): Promise<void> {
    await this.parse(Check)
    const {environment, directories: places, io, signal, now} = this.context
    const settings = await this.context.settings()
    const session = await this.context.session()
    const token = await session.token()
    const userAgent = `drv/${this.config.version}`
    const sending = async () => {
      const [{baseUrl}, send] = await Promise.all([this.context.addresses(), this.context.send()])
      return {baseUrl, userAgent, signal, now, send}
    }
    const owned = () => checkUp(settings, session, sending, {state: places.state, now})
    const {clientId, environmentToken, signIn} = settings
    const noted = environmentToken === undefined ? signIn : undefined
    const page = tokensPageAddress(settings)
    if (noted?.kind === 'personal') throw personalToken(await owned(), page, noted.user?.login)

    const found = await findClientSecret({
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
    await this.printer.record({valid: true, ...check, scopes: scopes.map(shortScope)}, COLUMNS)
  }
}

const COLUMNS = [
  'valid',
  'app.clientId',
  'app.name',
  'user.login',
  'scopes',
  'createdAt',
  'expiresAt',
]
