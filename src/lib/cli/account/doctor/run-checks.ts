import {checkUp} from '#lib/auth/checkup.js'
import {createSession} from '#lib/auth/session.js'
import type {OpenStore} from '#lib/auth/store/store.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Settings} from '#lib/config/settings.js'
import {type Check, failed, firstFault, ok, skipped} from './check.js'
import {
  authServiceChecks,
  certificatesCheck,
  fileServiceChecks,
  type Line,
  PATIENCE,
  proxyChecks,
} from './network.js'
import {settingsChecks} from './settings.js'
import {keychainCheck, tokenChecks, tokenTextCheck} from './token.js'

/** What the doctor works with. */
export interface Practice extends Pick<Context, 'options' | 'environment' | 'directories'> {
  readonly line: Line
  readonly openStore: OpenStore
  /** Starts the service inside drv and answers its address. */
  readonly startEmbedded: () => Promise<string>
}

/**
 * Looks at one thing after the other, from this machine outwards, and gives each as soon as it is
 * known. What makes no sense after a fault is skipped, with the reason.
 */
export async function* examine(practice: Practice): AsyncGenerator<Check> {
  const {environment, line} = practice
  const {checks, settings} = await settingsChecks(practice)
  yield* checks
  if (!settings) return yield* skipAll('the configuration has to be right first')
  const {DRV_TOKEN: environmentToken} = environment
  const service = settings.embedded
    ? yield* embedded(practice)
    : yield* elsewhere(settings, Boolean(environmentToken ?? settings.signIn), environment, line)
  yield await keychainCheck(settings, environmentToken, practice.openStore)
  const malformed = tokenTextCheck(environmentToken)
  if (malformed || service === undefined) {
    yield malformed ?? skipped('token', 'the file service has to answer first')
    yield skipped('scopes', 'a token has to work first')
    return
  }
  const whole: Settings = {...settings, environmentToken: environmentToken?.trim() || undefined}
  const session = createSession({settings: whole, openStore: practice.openStore})
  const sending = async () => ({baseUrl: service, timeout: PATIENCE, ...line})
  const {state} = practice.directories
  const checkup = await checkUp(whole, session, sending, {state, now: line.now})
  yield* tokenChecks(checkup, settings.embedded)
}

/** Rows behind the configuration, where it does not say where to look. */
function* skipAll(reason: string): Generator<Check, void> {
  for (const name of ['file service', 'keychain', 'token', 'scopes']) yield skipped(name, reason)
}

/** The service inside drv needs no network; answers its address, where it starts. */
async function* embedded({
  startEmbedded,
  directories: {data},
}: Practice): AsyncGenerator<Check, string | undefined> {
  try {
    const address = await startEmbedded()
    yield ok('file service', `the one inside drv starts, with its data in ${data}`)
    return address
  } catch (error) {
    yield failed('file service', error)
    return undefined
  }
}

/** A service elsewhere, step by step; answers its address, where it works. */
async function* elsewhere(
  {baseUrl = '', authUrl = '', clientId}: Settings,
  hasToken: boolean,
  environment: Context['environment'],
  line: Line,
): AsyncGenerator<Check, string | undefined> {
  const proxies = proxyChecks([baseUrl, authUrl], environment)
  yield* proxies
  yield certificatesCheck(environment)
  if (firstFault(proxies)) {
    yield skipped('file service', 'the proxy has to be right first')
    return undefined
  }
  const answers = await fileServiceChecks(baseUrl, line)
  yield* answers
  yield* await authServiceChecks(authUrl, {clientId, isNeeded: !hasToken}, line)
  return firstFault(answers.slice(0, 1)) ? undefined : baseUrl
}
