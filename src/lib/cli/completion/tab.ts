import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type CompletionFile, completionFile, listedIds} from '#lib/cli/context/completion-file.js'
import {type Manifest, readManifest} from '#lib/cli/help/manifest.js'
import {everydayNames} from '#lib/cli/output/everyday-names.js'
import {type Aliases, aliasFile, completedWords} from '#lib/config/aliases.js'
import {type Config, listProfiles, readConfig} from '#lib/config/config.js'
import {cacheDirectory, directories, systemHome} from '#lib/config/paths.js'
import {resolveSettings} from '#lib/config/settings.js'
import {answerFor, type Offer, type Shell, SHELLS} from './answer.js'
import type {ask as askService, Asking} from './ask.js'
import {readBashLine} from './bash-line.js'
import {type Candidate, completionsFor, type Decision} from './decide.js'
import {knownListing, namesIn, type Way, wayOf} from './folders.js'
import type {Wanted} from './value-kinds.js'

/** Milliseconds from the start of the process until a Tab is given up. */
const LIMIT = 1000

/** What asks the service; loaded only where nothing that is known answers. */
export interface Bundle {
  readonly ask: typeof askService
}

interface World {
  readonly shell: Shell
  readonly decision: Decision
  /** The folder of the installation. */
  readonly root: string
  readonly home: string | undefined
  readonly caches: string | undefined
  readonly config: Config
  readonly aliases: Aliases
  kept(name: string): CompletionFile | undefined
  listing(way: Way): Promise<readonly Candidate[]>
}

/**
 * Answers a Tab: writes what fits to standard output and ends the process, after a second at the
 * latest. `words` are the shell's name and the line: of bash as it is written, with what of it readline
 * replaces; of zsh and fish the words behind `drv`, the last one as far as it is typed. Whatever goes
 * wrong, nothing is said of it.
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
  /** Comes when it is time to give up. */
  readonly late: Promise<undefined>
  readonly signal: AbortSignal
}

async function answerTo(
  [name, ...given]: readonly string[],
  bundle: string,
  load: () => Bundle,
  {late, signal}: Limits,
): Promise<string> {
  const shell = SHELLS.find(one => one === name)
  if (!shell) return ''
  const line =
    shell === 'bash'
      ? readBashLine(given[0] ?? '', given[1] ?? '')
      : {words: given.slice(0, -1), current: given.at(-1) ?? '', isRedirection: false}
  if (line.isRedirection) return answerFor(shell, {candidates: [], isFiles: true})
  const root = dirname(dirname(bundle))
  const manifest = readManifest(root)
  const {env} = process
  const aliases = aliasFile(directories(env, systemHome).config).read() ?? {}
  const words = isCommand(line.words[0], manifest)
    ? line.words
    : completedWords(aliases, line.words)
  const decision = withAliases(
    completionsFor(words, line.current, manifest),
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
  const listing = async (way: Way): Promise<readonly Candidate[]> => {
    const known = knownIn(kept('places'), way)
    if (known) return known
    const asking: Asking = {
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
    return found ? namesIn(way, found) : []
  }
  const home = env.HOME ?? systemHome()
  const world = {shell, decision, root, home, caches, config, aliases, kept, listing}
  return answerFor(shell, await offerOf(world), 'kept' in line ? line : undefined)
}

/** Whether commands have that first word, which no alias replaces. */
function isCommand(first: string | undefined, {commands}: Manifest): boolean {
  return Object.keys(commands).some(id => id === first || id.startsWith(`${first}:`))
}

/** What completes a first word, with the names of aliases. */
function withAliases(decision: Decision, aliases: Aliases): Decision {
  if (decision.text.startsWith('-')) return decision
  return {...decision, candidates: [...decision.candidates, ...named(aliases, decision.text)]}
}

/** The aliases that begin so. */
function named(aliases: Aliases, text: string): readonly Candidate[] {
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

async function candidatesFor(wanted: Wanted, world: World): Promise<readonly Candidate[]> {
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
      // Without what they are called a hundred of them say nothing, where paths say more.
      const isNoise = shell === 'bash' && text === '' && decision.wanted.length > 1
      const all = kept && !isNoise ? listedIds(kept, wanted.of, wanted.file) : []
      return all.filter(({value}) => value.startsWith(text))
    }
  }
}

/** Beginnings of paths, and what is in the folder that the word has come to. */
async function pathsFor(text: string, world: World): Promise<readonly Candidate[]> {
  const way = text === '' ? {place: '/', name: ''} : wayOf(text)
  if (way) {
    const found = await world.listing(way)
    return text === '' ? [...found, START] : found
  }
  return ['drive:', 'shared:', 'trash:']
    .filter(start => start.startsWith(text))
    .map(value => ({value, isOpen: true}))
}

const START: Candidate = {value: 'drive:', about: 'shared drives', isOpen: true}

/** Shared drives, as `drive:NAME` or by their bare names. */
async function drivesFor(text: string, {listing}: World): Promise<readonly Candidate[]> {
  const isBare = text !== '' && !'drive:'.startsWith(text) && !text.startsWith('drive:')
  const lead = 'drive:'
  const found = await listing({place: lead, name: isBare ? text : text.slice(lead.length)})
  return found.map(({value, about}) => ({
    value: value.slice(isBare ? lead.length : 0, -1),
    about,
  }))
}

function knownIn(kept: CompletionFile | undefined, way: Way): readonly Candidate[] | undefined {
  if (!kept) return undefined
  const known = (place: string) => knownListing(kept, place, Date.now())
  const all = known(way.place)
  const listing = all?.isCut && way.name !== '' ? known(way.place + way.name) : all
  return listing && namesIn(way, listing)
}

/** The columns of a command's records, as the build has noted them. */
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

/** The names of columns that begin with what is typed; those within others only behind their dot. */
function columnsFor(text: string, names: readonly string[]): readonly Candidate[] {
  const depth = text.split('.').length
  return names
    .filter(name => name.startsWith(text) && name.split('.').length === depth)
    .map(value => ({value, isOpen: true}))
}

/** The profiles that there are, with where they work. */
function profilesFor(text: string, config: Config): readonly Candidate[] {
  return listProfiles(config)
    .filter(({profile}) => profile.startsWith(text))
    .map(({profile, service, user}) => ({
      value: profile,
      about: [service, user?.login].filter(Boolean).join(', '),
    }))
}

/** The files of this machine whose names begin with what is typed; hidden ones only behind a dot. */
function filesFor(text: string, home: string | undefined): readonly Candidate[] {
  const end = text.lastIndexOf('/') + 1
  const [folder, name] = [text.slice(0, end), text.slice(end)]
  const place = folder.startsWith('~/') && home ? join(home, folder.slice(2)) : folder
  return (
    entriesOf(place === '' ? '.' : place)
      .filter(entry => entry.name.startsWith(name) && (name !== '' || !entry.name.startsWith('.')))
      // At the start of a word it would be a flag.
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
