import {checkUp} from '#lib/auth/check.js'
import {createSession, endsBy} from '#lib/auth/session.js'
import type {OpenStore} from '#lib/auth/store/store.js'
import {tokenSource} from '#lib/auth/token-source.js'
import {expiryText} from '#lib/cli/account/profiles.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Settings} from '#lib/config/settings.js'
import {type Check, failed, ok, skipped} from './check.js'
import {
  authServiceChecks,
  certificatesCheck,
  fileServiceChecks,
  type Line,
  PATIENCE,
  proxyChecks,
} from './network.js'
import {keychainCheck, settingsChecks, tokenChecks, tokenTextCheck} from './settings.js'

/** What the doctor works with. */
export interface Practice extends Pick<Context, 'options' | 'environment' | 'directories'> {
  readonly line: Line
  readonly openStore: OpenStore
  /** Runs a line of the shell and gives what it prints. */
  readonly runCommand: (line: string) => Promise<string>
  /** Starts the service inside drv and answers its address. */
  readonly startEmbedded: () => Promise<string>
}

/** What the configuration says, and the address of the file service once that answers. */
interface Facts extends Practice {
  readonly settings: Settings
  service?: string
}

/** One thing that is looked at once the configuration is right. */
interface Row {
  /** What is told to be skipped where it cannot be looked at. */
  readonly names: readonly string[]
  /** Only at a service elsewhere: the one inside drv needs no network. */
  readonly isElsewhere?: boolean
  /** It makes no sense where a proxy is at fault. */
  readonly needsProxy?: boolean
  look(facts: Facts): Promise<readonly Check[]> | readonly Check[]
}

/** From this machine outwards. */
const ROWS: readonly Row[] = [
  {
    names: [],
    isElsewhere: true,
    look: ({settings: {baseUrl = '', authUrl = ''}, environment}) =>
      proxyChecks([baseUrl, authUrl], environment),
  },
  {names: [], isElsewhere: true, look: ({environment}) => [certificatesCheck(environment)]},
  {names: ['file service'], needsProxy: true, look: lookAtFileService},
  {
    names: [],
    isElsewhere: true,
    needsProxy: true,
    look: ({settings, environment, line}) => {
      const {signIn, tokenCommand} = settings
      const isNeeded = !(environment.DRV_TOKEN ?? tokenCommand ?? signIn)
      return authServiceChecks(settings, isNeeded, line)
    },
  },
  {
    names: ['keychain'],
    look: async ({settings, environment, openStore}) => [
      await keychainCheck(settings, environment.DRV_TOKEN, openStore),
    ],
  },
  {names: ['token', 'scopes'], look: lookAtToken},
]

/** Runs the checks, and gives each as soon as it is known; what makes no sense after a fault is skipped with the reason. */
export async function* examine(practice: Practice): AsyncGenerator<Check> {
  const {checks, settings} = await settingsChecks(practice)
  yield* checks
  const facts: Facts | undefined = settings && {...practice, settings}
  let isProxyFaulty = false
  for (const {names, isElsewhere, needsProxy, look} of ROWS) {
    if (!facts) {
      yield* names.map(name => skipped(name, 'the configuration has to be right first'))
    } else if (needsProxy && isProxyFaulty) {
      yield* names.map(name => skipped(name, 'the proxy has to be right first'))
    } else if (!isElsewhere || !facts.settings.embedded) {
      const found = await look(facts)
      yield* found
      isProxyFaulty ||= found.some(({name, state}) => name === 'proxy' && state === 'failed')
    }
  }
}

/** The file service, and the clock by its answer; the one inside drv is at fault only where it does not start. */
async function lookAtFileService(facts: Facts): Promise<readonly Check[]> {
  const {settings, startEmbedded, directories, line} = facts
  if (!settings.embedded) {
    const checks = await fileServiceChecks(settings.baseUrl ?? '', line)
    if (checks[0]?.state === 'ok') facts.service = settings.baseUrl
    return checks
  }
  try {
    facts.service = await startEmbedded()
    return [ok('file service', `the one inside drv starts, with its data in ${directories.data}`)]
  } catch (error) {
    return [failed('file service', error)]
  }
}

/** The token in use, and its scopes. */
async function lookAtToken(facts: Facts): Promise<readonly Check[]> {
  const {service, environment, openStore, runCommand, directories, line} = facts
  const {DRV_TOKEN: environmentToken} = environment
  const malformed = tokenTextCheck(environmentToken)
  if (malformed || service === undefined) {
    return [
      malformed ?? skipped('token', 'the file service has to answer first'),
      skipped('scopes', 'a token has to work first'),
    ]
  }
  const settings = {...facts.settings, environmentToken: environmentToken?.trim() || undefined}
  // A look changes nothing: what has ended is not renewed.
  const source = tokenSource({settings, openStore, runCommand, now: line.now})
  const session = createSession({settings, source: {...source, renew: undefined}, now: line.now})
  const found = await session.find().catch(() => undefined)
  if (found && endsBy(found, line.now()) && (await session.isRenewable().catch(() => false))) {
    return [
      ok('token', `ended at ${expiryText(found)}; the next command renews it`),
      skipped('scopes', 'a token has to work first'),
    ]
  }
  const sending = async () => ({baseUrl: service, timeout: PATIENCE, ...line})
  const {state} = directories
  return tokenChecks(
    await checkUp(settings, session, sending, {state, now: line.now}),
    settings.embedded,
  )
}
