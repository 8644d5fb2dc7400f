import {join} from 'node:path'
import {shortScope} from '#lib/api/description/scopes.js'
import {type Checkup, checkUp} from '#lib/auth/check.js'
import {createSession} from '#lib/auth/session.js'
import {keychainName} from '#lib/auth/store/keychain.js'
import {stores} from '#lib/auth/store/stores.js'
import type {Context} from '#lib/cli/context/context.js'
import {startForCommand} from '#lib/cli/context/local-service.js'
import {certificatesText, routeText} from '#lib/cli/explain/network.js'
import {tableFormat} from '#lib/cli/output/formats.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {readConfig} from '#lib/config/config.js'
import type {Directories} from '#lib/config/paths.js'
import {resolveSettings} from '#lib/config/resolve.js'
import type {ReadOnlySource, Settings} from '#lib/config/settings.js'

export default verb({
  summary: 'Show where and as whom you work, and whether your tokens work now.',
  description:
    'Asks the service of each profile who its token belongs to; with --profile, of that one alone. With --verbose also which proxy and which certificates count. Ends with code 4 when nobody is signed in to the profile in use, or its token is refused.',
  examples: [
    ['Show the sign-ins', 'auth status'],
    ['Show one of them', 'auth status --profile work'],
    ['Ask in a script whether the token works', 'auth status --quiet && echo yes'],
  ],
  effect: 'reads',
  columns: (_flags, {verbose}) => columnsFor(verbose),
  async run(_input, context, printer) {
    const {environment, directories: places, options, session, signal} = context
    const settings = await context.settings()
    const inUse = {settings, checkup: await look(settings, places, await session(), context)}
    const isOne = options.profile !== undefined
    const others = isOne ? [] : await otherProfiles(settings.profile, places, context)
    signal.throwIfAborted()
    const shown = (looked: Looked, isInUse: boolean) => ({
      ...recordOf(looked, places, isInUse),
      ...(options.verbose && networkOf(looked.settings, environment)),
    })
    await showAll(
      [shown(inUse, true), ...others.map(other => shown(other, false))],
      context,
      printer,
    )
    const {problem} = inUse.checkup
    if (problem !== undefined) throw problem
  },
})

/** The profiles that are not in use now, as they are without what the environment says. */
async function otherProfiles(
  inUse: string,
  places: Directories,
  context: Context,
): Promise<readonly Looked[]> {
  const config = await readConfig(places.config)
  const names = Object.keys(config.profiles).filter(name => name !== inUse)
  return Promise.all(
    names.sort().map(async profile => {
      try {
        const settings = resolveSettings({flags: {profile}, env: {}, config})
        const session = createSession({settings, openStore: stores(places)})
        return {settings, checkup: await look(settings, places, session, context)}
      } catch (problem) {
        return {settings: {profile}, checkup: {problem: problem as Error}}
      }
    }),
  )
}

function look(
  settings: Settings,
  places: Directories,
  session: Parameters<typeof checkUp>[1],
  context: Context,
): Promise<Checkup> {
  const {signal, now} = context
  const userAgent = context.userAgent
  const sending = async () => ({
    baseUrl: await addressOf(settings, context),
    timeout: 10_000,
    userAgent,
    signal,
    now,
    send: await context.send(),
  })
  return checkUp(settings, session, sending, {state: places.state, now})
}

async function addressOf(settings: Settings, context: Context): Promise<string> {
  if (settings === (await context.settings())) return (await context.addresses()).baseUrl
  if (settings.baseUrl !== undefined) return settings.baseUrl
  return startForCommand(context)
}

/** At a terminal a block for each profile, because a line would be too long. */
async function showAll(
  records: ReadonlyArray<Readonly<Record<string, unknown>>>,
  context: Context,
  printer: Printer,
): Promise<void> {
  const columns = columnsFor(context.options.verbose)
  if (printer.format !== 'table') return printer.records(records, columns)
  const layout = printer.layout(columns)
  const blocks = await Promise.all(records.map(async record => tableFormat.record(record, layout)))
  await printer.show(blocks.join('\n'))
}

interface Looked {
  readonly settings: Partial<Settings> & Pick<Settings, 'profile'>
  readonly checkup: Checkup
}

function recordOf({settings, checkup}: Looked, places: Directories, inUse: boolean) {
  const {profile, clientId, signIn, environmentToken, readOnly = []} = settings
  const {found, user, problem} = checkup
  const {scopes, clientId: _, ...person} = user ?? {}
  const source = found?.source ?? (environmentToken ? 'DRV_TOKEN' : signIn?.store)
  // What is noted is of the stored token.
  const noted = source === signIn?.store ? signIn : undefined
  return {
    profile,
    inUse,
    ...addressesOf(settings),
    clientId,
    readOnly: readOnly.length > 0,
    readOnlySource: readOnly.map(name => READ_ONLY_SOURCES[name]).join(', ') || undefined,
    signedIn: Boolean(found),
    source,
    backend: backendOf(source, places),
    works: user !== undefined,
    user: user ? person : noted?.user,
    scopes: (scopes ?? noted?.scopes)?.map(shortScope),
    problem: problem?.message,
  }
}

const READ_ONLY_SOURCES: Readonly<Record<ReadOnlySource, string>> = {
  flag: '--read-only',
  environment: 'DRV_READ_ONLY',
  profile: 'profile',
}

/** Where both services are, and where that comes from. */
function addressesOf({embedded, baseUrl, authUrl, sources}: Partial<Settings>) {
  // The embedded service has an address only while the command runs.
  const unset = embedded ? 'default' : undefined
  return {
    service: embedded ? 'local' : baseUrl,
    serviceSource: sources?.baseUrl ?? unset,
    authService: embedded ? 'local' : authUrl,
    authServiceSource: sources?.authUrl ?? unset,
  }
}

/** The ways to both services, and the certificates that count there. */
function networkOf(
  {embedded, baseUrl, authUrl}: Partial<Settings>,
  environment: NodeJS.ProcessEnv,
) {
  const route = (address: string | undefined) =>
    embedded ? 'inside drv' : address && routeText(address, environment)
  return {
    serviceRoute: route(baseUrl),
    authServiceRoute: route(authUrl),
    certificates: certificatesText(environment),
  }
}

/** What keeps the token: the keychain by its name, or the directory of plain files. */
function backendOf(source: string | undefined, {config}: Directories): string | undefined {
  if (source === 'keychain') return keychainName()
  return source === 'file' && config ? `plain file in ${join(config, 'tokens')}` : undefined
}

const COLUMNS = [
  'profile',
  'inUse',
  'service',
  'serviceSource',
  'authService',
  'authServiceSource',
  'clientId',
  'readOnly',
  'readOnlySource',
  'signedIn',
  'source',
  'backend',
  'works',
  'user.login',
  'user.id',
  'user.name',
  'user.email',
  'scopes',
  'problem',
]

const NETWORK_COLUMNS = ['serviceRoute', 'authServiceRoute', 'certificates']

function columnsFor(isVerbose: boolean): readonly string[] {
  return isVerbose ? [...COLUMNS, ...NETWORK_COLUMNS] : COLUMNS
}
