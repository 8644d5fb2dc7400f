import {shortScope} from '../../lib/api/description/scopes.js'
import {notSignedIn} from '../../lib/auth/session.js'
import {BaseCommand} from '../../lib/cli/base.js'
import {examplesOf} from '../../lib/cli/operation.js'
import {createSender} from '../../lib/client/request.js'
import {who} from '../../lib/client/who.js'

export default class Status extends BaseCommand {
  static override enableJsonFlag = false
  static override baseFlags = BaseCommand.baseFlags
  static override summary = 'Show where and as whom you work, and whether the token works now.'
  static override description =
    'Asks the service who the token belongs to. Ends with code 4 when nobody is signed in or the token is refused.'
  static override examples = examplesOf([
    ['Show the sign-in:', 'auth status'],
    ['Ask in a script whether the token works:', 'auth status --quiet && echo yes'],
  ])

  protected override async execute(): Promise<void> {
    await this.parse(Status)
    const {signal, now} = this.context
    const settings = await this.context.settings()
    const {profile, clientId, embedded} = settings
    const found = await (await this.context.session()).find()
    // The embedded service has an address only while the command runs.
    const service = embedded ? 'local' : settings.baseUrl
    const record = {profile, service, clientId, signedIn: Boolean(found), source: found?.source}
    if (!found) {
      await this.printRecord({...record, works: false}, COLUMNS)
      throw notSignedIn(settings)
    }
    try {
      const {baseUrl} = await this.context.addresses()
      const userAgent = `drv/${this.config.version}`
      const token = async () => found.token
      const {scopes, ...user} = await who(createSender({baseUrl, token, userAgent, signal, now}))
      const short = scopes?.map(shortScope)
      await this.printRecord({...record, works: true, user, scopes: short}, COLUMNS)
    } catch (error) {
      if (!signal.aborted) await this.printRecord({...record, works: false}, COLUMNS)
      throw error
    }
  }
}

const COLUMNS = [
  'profile',
  'service',
  'clientId',
  'signedIn',
  'source',
  'works',
  'user.login',
  'user.id',
  'user.name',
  'user.email',
  'scopes',
]
