import {Flags} from '@oclif/core'
import {scopeCatalogue, shortScope} from '../../lib/api/description/scopes.js'
import {signInWithDevice, type DeviceEvent} from '../../lib/auth/device.js'
import {SignInError} from '../../lib/auth/errors.js'
import {keepToken} from '../../lib/auth/keep.js'
import type {DeviceCode} from '../../lib/auth/meaning.js'
import {createPost} from '../../lib/auth/post.js'
import {noteProfile} from '../../lib/auth/profile.js'
import {requestedScopes} from '../../lib/auth/scopes.js'
import {stores} from '../../lib/auth/store/index.js'
import {accountOf, SERVICE} from '../../lib/auth/store/store.js'
import {instructions, openOnEnter, spin} from '../../lib/auth/waiting.js'
import {BaseCommand} from '../../lib/cli/base.js'
import {readAll} from '../../lib/cli/io.js'
import {examplesOf} from '../../lib/cli/operation.js'
import {safeJson} from '../../lib/cli/output/cell.js'
import {createSender} from '../../lib/client/request.js'
import {who} from '../../lib/client/who.js'
import {directories, needed, systemHome} from '../../lib/config/paths.js'
import {checkToken} from '../../lib/config/resolve.js'

export default class Login extends BaseCommand {
  static override enableJsonFlag = false
  static override baseFlags = BaseCommand.baseFlags
  static override summary = 'Sign in, and keep the token for later commands.'
  static override description =
    'Shows a code to enter in a browser, on this machine or any other, and waits until you did. The token is kept in the keychain of the system. With --json every step is one line of JSON.'
  static override examples = examplesOf([
    ['Sign in with a browser:', 'auth login'],
    ['Sign in to read only:', 'auth login --scope drive.readonly'],
    ['Keep a token that you have:', 'auth login --with-token < token.txt'],
  ])
  static override flags = {
    scope: Flags.string({
      summary: `What to ask for, separated by commas: ${Object.keys(scopeCatalogue).join(', ')}.`,
      helpValue: 'SCOPES',
      multiple: true,
      exclusive: ['with-token'],
    }),
    'with-token': Flags.boolean({summary: 'Read a token from standard input instead.'}),
    'insecure-storage': Flags.boolean({
      summary: 'Keep the token in a plain file that only you can read, not in the keychain.',
    }),
  }

  readonly #endings: Array<() => void> = []

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(Login)
    const {environment, signal} = this.context
    try {
      const scopes = requestedScopes(flags.scope ?? [])
      const settings = await this.context.settings()
      const places = directories(environment, systemHome)
      const keeping = {settings, openStore: stores(places), directory: needed('config', places)}
      const kind = flags['insecure-storage'] ? 'file' : 'keychain'
      // Asked now: nobody should enter a code for a token that cannot be kept.
      await keeping.openStore(kind).getPassword(SERVICE, accountOf(settings))
      const token = flags['with-token'] ? await this.readToken() : await this.askForToken(scopes)
      const {scopes: granted, ...user} = await this.whoHas(token)
      await keepToken(keeping, kind, token, config => noteProfile(config, settings))
      await this.emit('authorized', {profile: settings.profile, user, scopes: granted, kept: kind})
      this.say(
        `Signed in as ${user.login}. The token is kept in ${kind === 'file' ? 'a file' : 'the keychain'}.`,
      )
      if (granted) this.say(`Scopes: ${granted.map(shortScope).join(', ') || 'none'}.`)
      if (settings.environmentToken !== undefined) {
        this.context.note('DRV_TOKEN is set and wins over this sign-in; unset it to use this one.')
      }
    } catch (error) {
      if (!signal.aborted) {
        const code = error instanceof SignInError ? error.code : undefined
        await this.emit('failed', {error: code, message: (error as Error).message})
      }
      throw error
    }
  }

  private async readToken(): Promise<string> {
    return checkToken(await readAll(this.context.io.stdin), 'Standard input')
  }

  private async askForToken(scopes: readonly string[]): Promise<string> {
    const {addresses, sleep, now} = this.context
    const {clientId} = await this.context.settings()
    const {authUrl} = await addresses()
    const post = createPost({authUrl, ...this.sending})
    const onEvent = (event: DeviceEvent) => this.tell(event)
    try {
      return (await signInWithDevice({clientId, scopes, post, sleep, now, onEvent})).token
    } finally {
      for (const end of this.#endings) end()
    }
  }

  private async tell(event: DeviceEvent): Promise<void> {
    if (event.event === 'slow_down') return this.emit('slow_down', {interval: event.interval})
    if (event.event === 'authorization_required') await this.showCode(event.code)
  }

  private async showCode(code: DeviceCode): Promise<void> {
    const {io, environment, onEnd} = this.context
    const {verificationUri, userCode, expiresIn, interval} = code
    await this.emit('authorization_required', {
      verification_uri: verificationUri,
      user_code: userCode,
      expires_in: expiresIn,
      interval,
    })
    if (this.speaksJson) return
    // Not a note: without it nobody could go on, however quiet it should be.
    io.stderr.write(instructions(code, io.interactive))
    if (io.interactive) {
      this.#endings.push(openOnEnter(io.stdin, verificationUri, environment.BROWSER))
    }
    if (io.progress) this.#endings.push(await spin(io.stderr, 'Waiting for you'))
    onEnd(() => {
      for (const end of this.#endings) end()
    })
  }

  /** Also tells that the token works, before it is kept. */
  private async whoHas(token: string) {
    const {baseUrl} = await this.context.addresses()
    return who(createSender({baseUrl, token: async () => token, ...this.sending}))
  }

  /** What all requests of a sign-in have in common. */
  private get sending() {
    const {signal, now, options, io} = this.context
    return {
      signal,
      now,
      userAgent: `drv/${this.config.version}`,
      log: options.debug ? (line: string) => io.stderr.write(`${line}\n`) : undefined,
    }
  }

  private get speaksJson(): boolean {
    return this.format === 'json' || this.format === 'ndjson'
  }

  /** Writes one step as a line of JSON, where JSON is wanted. */
  private async emit(event: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.speaksJson) await this.print(`${safeJson({event, ...fields})}\n`)
  }

  private say(text: string): void {
    if (!this.speaksJson) this.context.note(text)
  }
}
