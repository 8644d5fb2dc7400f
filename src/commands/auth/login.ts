import {Flags} from '@oclif/core'
import {scopeCatalogue, shortScope} from '../../lib/api/description/scopes.js'
import {covers} from '../../lib/api/scopes.js'
import {type Breaker, createBreaker} from '../../lib/auth/breaker.js'
import {LIVE_TOKENS, recordToken, tokensMade} from '../../lib/auth/budget.js'
import {SignInError} from '../../lib/auth/errors.js'
import {keepToken} from '../../lib/auth/keep.js'
import {isAnother} from '../../lib/auth/person.js'
import {noteProfile} from '../../lib/auth/profile.js'
import {requestedScopes} from '../../lib/auth/scopes.js'
import {findClientSecret, keepClientSecret} from '../../lib/auth/secret.js'
import {stores} from '../../lib/auth/store/index.js'
import {accountOf, type OpenStore, SERVICE} from '../../lib/auth/store/store.js'
import {BaseCommand} from '../../lib/cli/base.js'
import {askSecret, isAgreed} from '../../lib/cli/confirm.js'
import {Interrupted} from '../../lib/cli/errors.js'
import {readAll} from '../../lib/cli/io.js'
import {examplesOf} from '../../lib/cli/operation.js'
import {safeJson} from '../../lib/cli/output/cell.js'
import {type Asking, askWithDevice, askWithWeb, type NewToken} from '../../lib/cli/signin.js'
import {ServiceError} from '../../lib/client/errors.js'
import {createSender} from '../../lib/client/request.js'
import {type Who, who} from '../../lib/client/who.js'
import type {Config, SignInNote, StoreKind} from '../../lib/config/config.js'
import {SetupError} from '../../lib/config/errors.js'
import {directories, needed, systemHome} from '../../lib/config/paths.js'
import {checkToken} from '../../lib/config/resolve.js'
import type {Settings} from '../../lib/config/settings.js'

export default class Login extends BaseCommand {
  static override enableJsonFlag = false
  static override baseFlags = BaseCommand.baseFlags
  static override summary = 'Sign in, and keep the token for later commands.'
  static override description =
    'Shows a code to enter in a browser, on this machine or any other, and waits until you did. With --web the browser of this machine comes back by itself. The token is kept in the keychain of the system; one that is there already, works and may do what is asked for stays. With --json every step is one line of JSON.'
  static override usage = 'auth login [FLAGS]'
  static override examples = examplesOf([
    ['Sign in with a browser:', 'auth login'],
    ['Sign in with the browser of this machine, without a code:', 'auth login --web'],
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
    web: Flags.boolean({
      summary: 'Have the browser of this machine come back, instead of entering a code.',
      exclusive: ['with-token'],
    }),
    login: Flags.string({
      summary: 'The account to suggest.',
      helpValue: 'NAME',
      dependsOn: ['web'],
    }),
    prompt: Flags.string({
      summary: 'Have the service ask which account to use.',
      options: ['select_account'],
      dependsOn: ['web'],
    }),
    'no-signup': Flags.boolean({
      summary: 'Have the service offer no new account.',
      dependsOn: ['web'],
    }),
    'with-token': Flags.boolean({summary: 'Read a token from standard input instead.'}),
    force: Flags.boolean({
      summary: 'Get a new token even if the stored one works; send one that was just refused.',
    }),
    'insecure-storage': Flags.boolean({
      summary: 'Keep the token in a plain file that only you can read, not in the keychain.',
    }),
  }

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(Login)
    const {environment, signal, now} = this.context
    try {
      const scopes = requestedScopes(flags.scope ?? [])
      const settings = await this.context.settings()
      const places = directories(environment, systemHome)
      const openStore = stores(places)
      const desk: Desk = {
        settings,
        openStore,
        directory: needed('config', places),
        breaker: createBreaker({state: places.state, binding: settings.binding, now}),
        force: flags.force,
      }
      const wished = flags['insecure-storage'] ? 'file' : undefined
      if (!flags.force && !flags['with-token'] && (await this.isServed(desk, scopes, wished)))
        return

      const store = wished ?? 'keychain'
      // Asked now: nobody should enter a code for a token that cannot be kept.
      await openStore(store).getPassword(SERVICE, accountOf(settings))
      if (flags['with-token']) {
        const token = await this.readToken()
        return await this.settle(desk, {token}, store)
      }
      const kind = {...settings, scopes}
      await this.warnOfLast(await tokensMade(places.state, kind))
      const {clientId} = settings
      const userAgent = `drv/${this.config.version}`
      const emit = this.isJson ? this.emit.bind(this) : undefined
      const asking: Asking = {context: this.context, clientId, userAgent, scopes, emit}
      const fresh = flags.web
        ? await this.askWithWeb(desk, asking, store, {
            login: flags.login,
            selectAccount: flags.prompt !== undefined,
            noSignUp: flags['no-signup'],
          })
        : await askWithDevice(asking)
      await recordToken(places.state, kind, now())
      await this.settle(desk, fresh, store)
    } catch (error) {
      if (!signal.aborted) {
        const code = error instanceof SignInError ? error.code : undefined
        await this.emit('failed', {error: code, message: (error as Error).message})
      }
      throw error
    }
  }

  /** Whether the stored token works and covers what is asked for; it stays then, where it is or where it is wished. */
  private async isServed(
    desk: Desk,
    scopes: readonly string[],
    wished: StoreKind | undefined,
  ): Promise<boolean> {
    const {settings, openStore} = desk
    const {signIn} = settings
    if (!signIn) return false
    const read = openStore(signIn.store).getPassword(SERVICE, accountOf(settings))
    // Whoever wants another place need not open this one.
    const isOther = wished !== undefined && wished !== signIn.store
    const token = isOther ? await read.catch(() => null) : await read
    if (token === null) return false
    const user = await this.whoHas(desk, token).catch((error: unknown) => {
      if (isRefusal(error)) return undefined
      throw error
    })
    if (!user || !covers(user.scopes ?? signIn.scopes ?? [], scopes)) return false
    const store = wished ?? signIn.store
    if (store !== signIn.store) await this.keep(desk, token, user, store)
    await this.tellOf(desk, user, store, true)
    return true
  }

  private async askWithWeb(
    {settings, openStore}: Desk,
    asking: Asking,
    store: StoreKind,
    wishes: {login?: string; selectAccount: boolean; noSignUp: boolean},
  ): Promise<NewToken> {
    const {io, environment, signal} = this.context
    const ask = this.canAsk ? (question: string) => askSecret(question, io, signal) : undefined
    const found = await findClientSecret({settings, environment, openStore, store, ask})
    const fresh = await askWithWeb(asking, {...wishes, clientSecret: found.secret})
    // It has just proved right.
    if (found.isTyped) await keepClientSecret(settings, openStore, store, found.secret)
    return fresh
  }

  /** Finds out whose the token is, keeps it, and only then says that it worked. */
  private async settle(desk: Desk, {token, finish}: NewToken, store: StoreKind): Promise<void> {
    try {
      const user = await this.whoHas(desk, token)
      await this.checkPerson(desk.settings, user)
      await this.keep(desk, token, user, store)
      await finish?.()
      await this.tellOf(desk, user, store, false)
    } catch (error) {
      await finish?.((error as Error).message)
      throw error
    }
  }

  /** Throws unless the person is the profile's, or somebody at the terminal wants the change. */
  private async checkPerson({profile, signIn}: Settings, user: Who): Promise<void> {
    const known = signIn?.user
    if (!known || !isAnother(known, user)) return
    const words = `Profile "${profile}" belongs to ${known.login}, but this token is ${user.login}'s`
    if (!this.canAsk) {
      throw new SetupError(
        'sign-in',
        `${words}, so it was not kept. Sign in as ${known.login}, name another profile with --profile, or run \`drv auth logout\` first.`,
      )
    }
    const {io, signal} = this.context
    if (await isAgreed(`${words}. Use it for this profile from now on?`, io, signal)) return
    throw new Interrupted(
      `The token of ${user.login} was not kept; ${known.login} stays signed in.`,
    )
  }

  private async keep(desk: Desk, token: string, who: Who, store: StoreKind): Promise<void> {
    const {id, login, scopes} = who
    const note: SignInNote = {store, user: {id, login}, scopes}
    const change = (config: Config) => noteProfile(config, desk.settings)
    if (await keepToken(desk, note, token, change)) return
    this.context.note('The token before this one is still in the keychain, which did not open.')
  }

  private async tellOf(desk: Desk, who: Who, store: StoreKind, reused: boolean): Promise<void> {
    const {scopes, ...user} = who
    const {profile, environmentToken} = desk.settings
    await this.emit('authorized', {profile, user, scopes, kept: store, reused})
    const place = store === 'file' ? 'a file' : 'the keychain'
    this.say(
      reused
        ? `Signed in as ${user.login} already: the token in ${place} works and was kept. --force gets a new one.`
        : `Signed in as ${user.login}. The token is kept in ${place}.`,
    )
    if (scopes) this.say(`Scopes: ${scopes.map(shortScope).join(', ') || 'none'}.`)
    if (environmentToken !== undefined) {
      this.context.note('DRV_TOKEN is set and wins over this sign-in; unset it to use this one.')
    }
  }

  private async warnOfLast(times: readonly number[]): Promise<void> {
    const [oldest] = times
    if (times.length < LIVE_TOKENS || oldest === undefined) return
    const day = new Date(oldest).toISOString().slice(0, 10)
    this.context.note(
      `Note: this machine has got ${LIVE_TOKENS} such tokens since ${day}, and only ${LIVE_TOKENS} live at once: a new one ends the oldest, which a CI job may be using. \`drv auth review\` shows them.`,
    )
  }

  private async readToken(): Promise<string> {
    const {io, signal} = this.context
    if (this.canAsk) return checkToken(await askSecret('Token:', io, signal), 'What you typed')
    return checkToken(await readAll(io.stdin), 'Standard input')
  }

  /** Also tells that the token works. */
  private async whoHas({breaker, force}: Desk, token: string): Promise<Who> {
    const {signal, now, options, io, addresses} = this.context
    const {baseUrl} = await addresses()
    const sender = createSender({
      baseUrl,
      token: async () => token,
      signal,
      now,
      userAgent: `drv/${this.config.version}`,
      log: options.debug ? (line: string) => io.stderr.write(`${line}\n`) : undefined,
      guard: force ? {...breaker, check: async () => undefined} : breaker,
    })
    const user = await who(sender)
    await breaker.cleared(token)
    return user
  }

  /** A person sits there, and no program reads along. */
  private get canAsk(): boolean {
    return this.context.io.interactive && !this.isJson
  }

  /** Writes one step as a line of JSON, where JSON is wanted. */
  private async emit(event: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.isJson) await this.print(`${safeJson({event, ...fields})}\n`)
  }

  private say(text: string): void {
    if (!this.isJson) this.context.note(text)
  }
}

/** What a sign-in works with. */
interface Desk {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
  readonly breaker: Breaker
  /** Send even a token that was refused a little while ago. */
  readonly force: boolean
}

/** The token opens nothing, or nobody should try: a new one is needed. */
function isRefusal(error: unknown): boolean {
  return (
    (error instanceof ServiceError && error.status === 401) ||
    (error instanceof SetupError && error.kind === 'sign-in')
  )
}
