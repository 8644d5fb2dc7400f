import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type CompletionFile, completionFile, listedIds} from '#lib/cli/context/completion-file.js'
import {type Manifest, readManifest} from '#lib/cli/help/manifest.js'
import {everydayNames} from '#lib/cli/output/everyday-names.js'
import {type Aliases, aliasFile, completedWords} from '#lib/config/aliases.js'
import {type Config, readConfig} from '#lib/config/config.js'
import {listProfiles} from '#lib/config/list-profiles.js'
import {cacheDirectory, directories, systemHome} from '#lib/config/paths.js'
import {resolveSettings} from '#lib/config/settings.js'
import {completionFor, type Offer, type Shell, SHELLS} from './answer.js'
import type {CompletionRequest, requestListing as askService} from './ask.js'
import {readBashLine} from './bash-line.js'
import {type CompletionCandidate, type CompletionSource, completionSource} from './decide.js'
import {knownListing, matchingNames, parseTypedPath, type TypedPath} from './folders.js'
import type {WantedValue} from './value-kinds.js'

/** Milliseconds from the start of the process until a completion is abandoned. */
const LIMIT = 1000

/** The code that sends requests; loaded only if the cache has no answer. */
export interface Bundle {
  readonly ask: typeof askService
}

interface World {
  readonly shell: Shell
  readonly decision: CompletionSource
  /** The directory where drv is installed. */
  readonly root: string
  readonly home: string | undefined
  readonly caches: string | undefined
  readonly config: Config
  readonly aliases: Aliases
  kept(name: string): CompletionFile | undefined
  listing(way: TypedPath): Promise<readonly CompletionCandidate[]>
}

/**
 * Writes the completions to standard output and ends the process, within a second. `words` are the name
 * of the shell and the command line. For bash this is the line as typed and the part of it that readline
 * replaces; for zsh and fish, the words after `drv`, with the incomplete word last. Errors are not shown.
 */
export async function complete(
  words: readonly string[],
  bundle: string,
  load: () => Bundle,
): Promise<void> {
  const ending = new AbortController()
  const {signal} = ending
  const late = new Promise<undefined>(resolve => {
    setTimeout(() => resolve(undefined), Math.max(0, LIMIT - performance.now()))
  })
  const answer = await answerTo(words, bundle, load, {late, signal}).catch(() => '')
  ending.abort()
  process.stdout.on('error', () => process.exit())
  process.stdout.write(answer, () => process.exit())
}

interface Limits {
  /** Resolves when the time limit is reached. */
  readonly late: Promise<undefined>
  readonly signal: AbortSignal
}

async function answerTo(
  [name, ...typed]: readonly string[],
  bundle: string,
  load: () => Bundle,
  {late, signal}: Limits,
): Promise<string> {
  const shell = SHELLS.find(one => one === name)
  if (!shell) return ''
  const line =
    shell === 'bash'
      ? readBashLine(typed[0] ?? '', typed[1] ?? '')
      : {words: typed.slice(0, -1), current: typed.at(-1) ?? '', isRedirection: false}
  if (line.isRedirection) return completionFor(shell, {candidates: [], isFiles: true})
  const root = dirname(dirname(bundle))
  const manifest = readManifest(root)
  const {env} = process
  const aliases = aliasFile(directories(env, systemHome).config).read() ?? {}
  const words = isCommand(line.words[0], manifest)
    ? line.words
    : completedWords(aliases, line.words)
  const decision = withAliases(
    completionSource(words, line.current, manifest),
    line.words.length === 0 ? aliases : {},
  )
  const caches = cacheDirectory(env, systemHome, process.platform)
  const config = await readConfig(directories(env, systemHome).config).catch(() => ({profiles: {}}))
  const kept = (file: string) => {
    try {
      const settings = resolveSettings({flags: {profile: decision.profile}, env, config})
      return completionFile(caches, settings, file)
    } catch {
      return undefined
    }
  }
  const listing = async (way: TypedPath): Promise<readonly CompletionCandidate[]> => {
    const known = knownIn(kept('places'), way)
    if (known) return known
    const asking: CompletionRequest = {
      way,
      profile: decision.profile,
      userAgent: `drv/${manifest.version}`,
      signal,
    }
    const found = await Promise.race([
      load()
        .ask(asking)
        .catch(() => undefined),
      late,
    ])
    return found ? matchingNames(way, found) : []
  }
  const home = env.HOME ?? systemHome()
  const world = {shell, decision, root, home, caches, config, aliases, kept, listing}
  return completionFor(shell, await offerOf(world), 'kept' in line ? line : undefined)
}

/** Whether a command begins with this word. Aliases do not replace such words. */
function isCommand(first: string | undefined, {commands}: Manifest): boolean {
  return Object.keys(commands).some(id => id === first || id.startsWith(`${first}:`))
}

/** Adds the names of aliases to the candidates for a first word. */
function withAliases(decision: CompletionSource, aliases: Aliases): CompletionSource {
  if (decision.text.startsWith('-')) return decision
  return {...decision, candidates: [...decision.candidates, ...named(aliases, decision.text)]}
}

/** The aliases that begin with `text`. */
function named(aliases: Aliases, text: string): readonly CompletionCandidate[] {
  return Object.entries(aliases)
    .filter(([name]) => name.startsWith(text))
    .map(([value, about]) => ({value, about}))
}

async function offerOf(world: World): Promise<Offer> {
  const {kept, text, wanted, candidates} = world.decision
  const isFile = wanted.some(({kind}) => kind === 'files')
  const isOnlyFile = isFile && (wanted.length === 1 || /^[~.$]/.test(text))
  if (isOnlyFile && kept === '' && candidates.length === 0) return {candidates, isFiles: true}
  const found = await Promise.all(wanted.map(one => candidatesFor(one, world)))
  const whole = found.flat().map(one => ({...one, value: kept + one.value}))
  return {candidates: [...candidates, ...whole], isFiles: false}
}

async function candidatesFor(
  wanted: WantedValue,
  world: World,
): Promise<readonly CompletionCandidate[]> {
  const {shell, decision, root, home, config} = world
  const {text, command = ''} = decision
  switch (wanted.kind) {
    case 'words':
      return wanted.words.filter(value => value.startsWith(text)).map(value => ({value}))
    case 'columns':
      return columnsFor(text, withEverydayNames(columnsOf(root, command)))
    case 'aliases':
      return named(world.aliases, text)
    case 'profiles':
      return profilesFor(text, config)
    case 'files':
      return filesFor(text, home)
    case 'drives':
      return drivesFor(text, world)
    case 'remote':
      return pathsFor(text, world)
    case 'ids': {
      const kept = world.kept('listed')
      // bash shows no descriptions, so a list of IDs would only hide the more useful paths.
      const isNoise = shell === 'bash' && text === '' && decision.wanted.length > 1
      const all = kept && !isNoise ? listedIds(kept, wanted.of, wanted.file) : []
      return all.filter(({value}) => value.startsWith(text))
    }
  }
}

/** The starts of paths such as `drive:`, or the entries of the folder in the word. */
async function pathsFor(text: string, world: World): Promise<readonly CompletionCandidate[]> {
  const way = text === '' ? {place: '/', name: ''} : parseTypedPath(text)
  if (way) {
    const found = await world.listing(way)
    return text === '' ? [...found, START] : found
  }
  return ['drive:', 'shared:', 'trash:']
    .filter(start => start.startsWith(text))
    .map(value => ({value, isOpen: true}))
}

const START: CompletionCandidate = {value: 'drive:', about: 'shared drives', isOpen: true}

/** Shared drives, as `drive:NAME` or `NAME`. */
async function drivesFor(text: string, {listing}: World): Promise<readonly CompletionCandidate[]> {
  const isBare = text !== '' && !'drive:'.startsWith(text) && !text.startsWith('drive:')
  const lead = 'drive:'
  const found = await listing({place: lead, name: isBare ? text : text.slice(lead.length)})
  return found.map(({value, about}) => ({
    value: value.slice(isBare ? lead.length : 0, -1),
    about,
  }))
}

function knownIn(
  kept: CompletionFile | undefined,
  way: TypedPath,
): readonly CompletionCandidate[] | undefined {
  if (!kept) return undefined
  const known = (place: string) => knownListing(kept, place, Date.now())
  const all = known(way.place)
  const listing = all?.isCut && way.name !== '' ? known(way.place + way.name) : all
  return listing && matchingNames(way, listing)
}

/** The columns of a command, from a file that the build writes. */
function columnsOf(root: string, command: string): readonly string[] {
  const text = readFileSync(join(root, 'dist/columns.json'), 'utf8')
  const {names, commands} = JSON.parse(text) as {
    names: readonly (readonly string[])[]
    commands: Readonly<Record<string, number>>
  }
  return names[commands[command] ?? -1] ?? []
}

function withEverydayNames(names: readonly string[]): readonly string[] {
  return [...names, ...everydayNames(names)]
}

/** The columns that begin with `text`. Nested columns are offered only after the dot of their parent. */
function columnsFor(text: string, names: readonly string[]): readonly CompletionCandidate[] {
  const depth = text.split('.').length
  return names
    .filter(name => name.startsWith(text) && name.split('.').length === depth)
    .map(value => ({value, isOpen: true}))
}

/** The profiles that begin with `text`, described by service and login. */
function profilesFor(text: string, config: Config): readonly CompletionCandidate[] {
  return listProfiles(config)
    .filter(({profile}) => profile.startsWith(text))
    .map(({profile, service, user}) => ({
      value: profile,
      about: [service, user?.login].filter(Boolean).join(', '),
    }))
}

/** The local files that begin with `text`. Hidden files are offered only after a dot. */
function filesFor(text: string, home: string | undefined): readonly CompletionCandidate[] {
  const end = text.lastIndexOf('/') + 1
  const [folder, name] = [text.slice(0, end), text.slice(end)]
  const place = folder.startsWith('~/') && home ? join(home, folder.slice(2)) : folder
  return (
    entriesOf(place === '' ? '.' : place)
      .filter(entry => entry.name.startsWith(name) && (name !== '' || !entry.name.startsWith('.')))
      // drv would parse it as a flag.
      .filter(entry => folder !== '' || !entry.name.startsWith('-'))
      .map(entry => {
        const isOpen = entry.isDirectory()
        return {value: `${folder}${entry.name}${isOpen ? '/' : ''}`, isOpen}
      })
  )
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, {withFileTypes: true})
  } catch {
    return []
  }
}
