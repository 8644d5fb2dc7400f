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
  PATIENCE,
  type ProbeOptions,
  proxyChecks,
} from './network.js'
import {keychainCheck, settingsChecks, tokenChecks, tokenTextCheck} from './settings.js'

/** The input of all checks. */
export interface DoctorOptions extends Pick<Context, 'options' | 'environment' | 'directories'> {
  readonly line: ProbeOptions
  readonly openStore: OpenStore
  /** Runs a shell command and returns its output. */
  readonly runCommand: (line: string) => Promise<string>
  /** Starts the local service and returns its address. */
  readonly startEmbedded: () => Promise<string>
}

/** The settings, and the address of the file service once it responds. */
interface Facts extends DoctorOptions {
  readonly settings: Settings
  service?: string
}

/** A group of checks that require a valid configuration. */
interface Row {
  /** The names of the checks to report as skipped if they cannot run. */
  readonly names: readonly string[]
  /** Only for a remote service: the local one needs no network. */
  readonly isElsewhere?: boolean
  /** Skipped if the proxy check failed. */
  readonly needsProxy?: boolean
  look(facts: Facts): Promise<readonly Check[]> | readonly Check[]
}

/** The checks in order, from this machine to the services. */
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

/** Runs the checks and yields each result at once; skips checks that depend on a failed one. */
export async function* runChecks(practice: DoctorOptions): AsyncGenerator<Check> {
  const {checks, settings} = await settingsChecks(practice)
  yield* checks
  const facts: Facts | undefined = settings && {...practice, settings}
  let isProxyFaulty = false
  for (const {names, isElsewhere, needsProxy, look} of ROWS) {
    if (!facts) {
      yield* names.map(name => skipped(name, 'requires a valid configuration'))
    } else if (needsProxy && isProxyFaulty) {
      yield* names.map(name => skipped(name, 'requires a working proxy'))
    } else if (!isElsewhere || !facts.settings.embedded) {
      const found = await look(facts)
      yield* found
      isProxyFaulty ||= found.some(({name, state}) => name === 'proxy' && state === 'failed')
    }
  }
}

/** Checks the file service, and the clock against its response; for the local service, whether it starts. */
async function lookAtFileService(facts: Facts): Promise<readonly Check[]> {
  const {settings, startEmbedded, directories, line} = facts
  if (!settings.embedded) {
    const checks = await fileServiceChecks(settings.baseUrl ?? '', line)
    if (checks[0]?.state === 'ok') facts.service = settings.baseUrl
    return checks
  }
  try {
    facts.service = await startEmbedded()
    return [ok('file service', `the local service starts (data in ${directories.data})`)]
  } catch (error) {
    return [failed('file service', error)]
  }
}

/** Checks the token in use and its scopes. */
async function lookAtToken(facts: Facts): Promise<readonly Check[]> {
  const {service, environment, openStore, runCommand, directories, line} = facts
  const {DRV_TOKEN: environmentToken} = environment
  const malformed = tokenTextCheck(environmentToken)
  if (malformed || service === undefined) {
    return [
      malformed ?? skipped('token', 'requires a working file service'),
      skipped('scopes', 'requires a working token'),
    ]
  }
  const settings = {...facts.settings, environmentToken: environmentToken?.trim() || undefined}
  // The doctor changes nothing, so it does not renew an expired token.
  const source = tokenSource({settings, openStore, runCommand, now: line.now})
  const session = createSession({settings, source: {...source, renew: undefined}, now: line.now})
  const found = await session.find().catch(() => undefined)
  if (found && endsBy(found, line.now()) && (await session.isRenewable().catch(() => false))) {
    return [
      ok('token', `expired at ${expiryText(found)}; the next command renews it`),
      skipped('scopes', 'requires a working token'),
    ]
  }
  const sending = async () => ({baseUrl: service, timeout: PATIENCE, ...line})
  const {state} = directories
  return tokenChecks(
    await checkUp(settings, session, sending, {state, now: line.now}),
    settings.embedded,
  )
}
