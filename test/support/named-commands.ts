import type {Manifest, ManifestCommand} from '#lib/cli/help/manifest.js'

/** Finds the commands and flags that texts name, and compares them with the manifest. */

/** Flags in texts that are not flags of drv, and where they come from. */
const FOREIGN: Readonly<Record<string, string>> = {
  '--data-raw': 'curl, in the output of --curl',
  '--fail-with-body': 'curl, in the output of --curl',
  '--global': 'npm install',
  '--now': 'systemctl enable',
  '--PARAMETER': 'placeholder for the parameters of a method',
  '--param': 'api call, once the method is known',
  '--version': 'drv itself',
  '--fileId': 'API name as a flag, which every command accepts',
}

/** The flags in a text that are not among the known ones, from `allFlags`. */
export function unknownFlags(text: string, known: ReadonlySet<string>): string[] {
  return [...text.matchAll(/(?<![\w$<{-])--[A-Za-z][\w-]*(?:\.[a-z][\w-]*)*/g)]
    .map(([flag]) => flag)
    .filter(flag => !known.has(flag) && !Object.hasOwn(FOREIGN, flag))
}

/**
 * The lines `drv …` in backticks and in fenced blocks of a text that name a command or a flag that does not
 * exist. Words in capitals, variables and `${…}` are placeholders.
 */
export function unknownLines(text: string, manifest: Manifest): string[] {
  const fenced = [...text.matchAll(/^```(?:sh|yaml|crontab|text)\n([\s\S]*?)^```$/gm)]
  const lines = fenced.flatMap(([, block = '']) => block.split('\n')).flatMap(linesIn)
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const spans = [...prose.matchAll(/`([^`]*)`/g)].flatMap(([, span = '']) => linesIn(span))
  return [...lines, ...spans].filter(line => !isLine(line, manifest))
}

/** The commands of a shell line that run drv, without `drv`. */
function linesIn(text: string): string[] {
  const line = text.replace(/(?:^|\s)#.*$/, '')
  return [
    ...line.matchAll(
      /(?:^|[|;&(]|-- |run: |\b[A-Z_]+=\S* |\* )\s*drv ((?:'[^']*'|"[^"]*"|\$\(.*?\)|[^|;&>)])*)/g,
    ),
  ].map(([, words = '']) => words.trim())
}

function isLine(line: string, manifest: Manifest): boolean {
  const words: readonly string[] = line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []
  const names = words.filter(word => /^[a-z]/.test(word))
  const [first = '--help'] = words
  if (!/^[a-z]/.test(first)) return !first.startsWith('-') || /^--(?:help|version)$/.test(first)
  const command = commandOf(names, manifest)
  if (command === undefined) return isTopic(names, manifest)
  // The flags of a call are the parameters of its method.
  if (command.id === 'api:call') return true
  const known = flagsOf(command)
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const flags = words.slice(0, end).filter(word => /^--?[A-Za-z]/.test(word))
  return flags.every(flag => {
    const name = flag.replace(/[=,].*$/s, '')
    const isCluster =
      /^-[A-Za-z]+$/.test(name) && [...name.slice(1)].every(one => known.has(`-${one}`))
    return known.has(name) || isCluster || Object.hasOwn(FOREIGN, name)
  })
}

/** Every spelling of the flags of all commands. */
export function allFlags({commands}: Manifest): ReadonlySet<string> {
  return new Set(Object.values(commands).flatMap(command => [...flagsOf(command)]))
}

/** The command that the longest beginning of the words names. */
function commandOf(names: readonly string[], {commands}: Manifest): ManifestCommand | undefined {
  const lengths = [3, 2, 1].filter(length => length <= names.length)
  const ids = lengths.map(length => names.slice(0, length))
  for (const id of ids) {
    const named = commands[id.join(':')]
    if (named) return named
    const other = Object.values(commands).find(({hiddenAliases = []}) =>
      hiddenAliases.includes(id.join(' ')),
    )
    if (other) return other
  }
  return undefined
}

/** Whether the words are a topic alone, as in `drv files --help`. */
function isTopic(names: readonly string[], {topics}: Manifest): boolean {
  return Object.hasOwn(topics, names.join(':'))
}

/** Every spelling of the flags of a command. */
function flagsOf({flags = {}}: ManifestCommand): ReadonlySet<string> {
  const spellings = Object.values(flags).flatMap(({name, aliases = [], allowNo, char}) => [
    ...[name, ...aliases].flatMap(one => [`--${one}`, ...(allowNo ? [`--no-${one}`] : [])]),
    ...[char ?? [], ...aliases].flat().map(one => `-${one}`),
  ])
  return new Set([...spellings, '--help', '--help-all'])
}
