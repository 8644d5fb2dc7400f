import {aliasesOf} from '#lib/cli/help/command-alias.js'
import type {Manifest, ManifestFlag} from '#lib/cli/help/manifest.js'
import {pages} from '#lib/cli/help/pages.js'
import {readArgv} from '#lib/cli/terminal/read-argv.js'
import {argumentValue, flagValue, type ValueKind, type WantedValue} from './value-kinds.js'

/** Determines which values fit at the cursor of a command line, from the manifest alone. Pure. */

/** A candidate for a word, with a description. */
export interface CompletionCandidate {
  readonly value: string
  readonly about?: string
  /** The word may continue without a space, as for a folder or a list. */
  readonly isOpen?: boolean
}

export interface CompletionSource {
  /** The start of the word that stays unchanged: `--format=`, or `id,` in `--columns id,ti`. */
  readonly kept: string
  /** The part of the word to complete. */
  readonly text: string
  /** Matching commands and flags. */
  readonly candidates: readonly CompletionCandidate[]
  /** The kinds of other values that fit. The caller looks them up. */
  readonly wanted: readonly WantedValue[]
  /** The ID of the command, if its name is complete. */
  readonly command?: string
  /** The profile in the command line. */
  readonly profile?: string
}

/** The parsed words before the cursor. */
interface Line {
  readonly command?: string
  /** The words of the name of the command, which may be incomplete. */
  readonly names: readonly string[]
  readonly args: readonly string[]
  readonly used: ReadonlySet<string>
  /** The flag whose value is the next word. */
  readonly pending?: string
  /** The cursor is after `--`, where words are not flags. */
  readonly isPlain: boolean
  readonly profile?: string
}

/** Determines the completions of the word `current` after `words`. All are without quotes and without `drv`. */
export function completionSource(
  words: readonly string[],
  current: string,
  manifest: Manifest,
): CompletionSource {
  const line = readLine(words, manifest)
  const {command, pending, profile} = line
  const flags = flagsOf(manifest, command)
  const decided = (
    kept: string,
    text: string,
    rest: Partial<CompletionSource>,
  ): CompletionSource => ({
    candidates: [],
    wanted: [],
    ...rest,
    kept,
    text,
    command,
    profile,
  })
  const valued = (value: ValueKind, kept: string, text: string) => {
    const lead = leadOf(value, text)
    if (lead === undefined) return decided(kept, text, {candidates: [openWord(value.lead!)]})
    return decided(kept + lead, text.slice(lead.length), {wanted: value.wanted})
  }
  if (pending !== undefined) return valued(flagValue(pending, flags[pending]!), '', current)
  if (!line.isPlain && current.startsWith('-')) {
    const {
      spelling,
      names: [name],
      value: text,
    } = readArgv([current], flags)[0]!
    if (name !== undefined && text !== undefined && spelling.startsWith('--')) {
      const kept = current.slice(0, current.length - text.length)
      return valued(flagValue(name, flags[name]!), kept, text)
    }
    return decided('', current, {candidates: fitting(flagCandidates(flags, line.used), current)})
  }
  if (command === undefined) {
    return decided('', current, {candidates: fitting(below(line.names, manifest), current)})
  }
  const {args, candidates} = argumentsAt(command, manifest, line)
  // The name of the command may also be the start of a longer one.
  const more = line.args.length === 0 ? below(line.names, manifest) : []
  if (args.length > 0) {
    const [value] = args
    const wanted = args.flatMap(one => one.wanted)
    const merged = {...value, wanted}
    return {...valued(merged, '', current), candidates: fitting(more, current)}
  }
  return decided('', current, {candidates: fitting([...more, ...candidates], current)})
}

/** The text before the value to complete; `undefined` if the lead itself must be completed. */
function leadOf({isList, lead}: ValueKind, text: string): string | undefined {
  if (lead !== undefined) return text.startsWith(lead) ? lead : text === '' ? undefined : ''
  return isList ? text.slice(0, text.lastIndexOf(',') + 1) : ''
}

/** The values that fit as the next argument. An argument that accepts several values may be followed by others. */
function argumentsAt(
  command: string,
  manifest: Manifest,
  line: Line,
): {readonly args: readonly ValueKind[]; readonly candidates: readonly CompletionCandidate[]} {
  const all = Object.entries(manifest.commands[command]?.args ?? {}).filter(
    ([, arg]) => !arg.hidden,
  )
  if (command === 'help') {
    const names = line.args.flatMap(word => word.split(':'))
    const named =
      names.length > 0 ? [] : pages.map(({name, title}) => ({value: name, about: title}))
    return {args: [], candidates: [...below(names, manifest), ...named]}
  }
  const several = all.findIndex(([, {multiple}]) => multiple)
  const at = line.args.length
  const possible = several < 0 || at < several ? all.slice(at, at + 1) : all.slice(several)
  // The next word may be another value of it, or a later argument.
  const here = several >= 0 && at === several ? possible.slice(0, 1) : possible
  const args = here.map(([name, arg]) => argumentValue(command, name, arg, line))
  return {args, candidates: flagCandidates(flagsOf(manifest, command), line.used)}
}

function readLine(words: readonly string[], manifest: Manifest, assumed?: string): Line {
  let names: string[] = []
  const args: string[] = []
  const aliases = aliasesOf(Object.values(manifest.commands))
  const tokens = readArgv(words, flagsOf(manifest, assumed))
  for (const {
    kind,
    words: [word],
  } of tokens) {
    if (kind !== 'argument' && kind !== 'behind') continue
    const next = [...names, ...word.split(':')]
    const isName = args.length === 0 && kind === 'argument'
    const meant = isName
      ? aliases[next.join(' ')]?.split(' ').filter(one => !one.startsWith('-'))
      : []
    if (isName && isStart(next, manifest)) names = next
    else if (meant?.length) names = meant
    else args.push(word)
  }
  const command = manifest.commands[names.join(':')] && names.join(':')
  // The command determines which flags take a value.
  if (assumed === undefined && command !== undefined) return readLine(words, manifest, command)
  const last = tokens.at(-1)
  return {
    command: assumed,
    names,
    args,
    used: new Set(tokens.flatMap(token => token.names)),
    pending: last?.lacksValue ? last.names.at(-1) : undefined,
    isPlain: tokens.some(({kind}) => kind === 'dashes'),
    profile: tokens.findLast(token => token.names.at(-1) === 'profile')?.value,
  }
}

type Flags = Readonly<Record<string, ManifestFlag>>

/** The flags of a command, or the global flags if there is no command yet. */
function flagsOf({commands}: Manifest, command: string | undefined): Flags {
  if (command !== undefined) return commands[command]?.flags ?? {}
  const [any] = Object.values(commands).filter(({flags}) => flags?.plan && !flags.plan.hidden)
  const all = Object.entries(any?.flags ?? {})
  return Object.fromEntries(all.filter(([, {helpGroup}]) => helpGroup === 'GLOBAL'))
}

/** Whether an alias of a flag is in kebab case. Names in the spelling of the API are not offered. */
const isEveryday = (alias: string) => /^[a-z-]+$/.test(alias)

/** The flags that are not used yet, or may be repeated. */
function flagCandidates(flags: Flags, used: ReadonlySet<string>): readonly CompletionCandidate[] {
  return Object.entries(flags)
    .filter(([name, {hidden, multiple}]) => !hidden && (multiple || !used.has(name)))
    .flatMap(([name, {summary, allowNo, aliases = []}]) => [
      ...[name, ...aliases.filter(isEveryday)].map(one => ({value: `--${one}`, about: summary})),
      ...(allowNo ? [{value: `--no-${name}`, about: `Disable: ${summary}`}] : []),
    ])
}

/** Whether the words are the name of a command or the start of one. */
function isStart(names: readonly string[], {commands}: Manifest): boolean {
  const id = names.join(':')
  return Object.keys(commands).some(one => one === id || one.startsWith(`${id}:`))
}

/** The words that may follow in the name of a command. */
function below(
  names: readonly string[],
  {commands, topics}: Manifest,
): readonly CompletionCandidate[] {
  const lead = names.map(name => `${name}:`).join('')
  const found = new Map<string, CompletionCandidate>()
  for (const [id, command] of Object.entries(commands)) {
    if (command.hidden || !id.startsWith(lead)) continue
    const rest = id.slice(lead.length)
    const [value = ''] = rest.split(':')
    const about = rest === value ? command.summary : topics[lead + value]
    if (!found.has(value)) found.set(value, {value, about})
  }
  return [...found.values()]
}

function openWord(value: string): CompletionCandidate {
  return {value, isOpen: true}
}

/** The candidates that begin with `text`. */
function fitting(
  candidates: readonly CompletionCandidate[],
  text: string,
): readonly CompletionCandidate[] {
  return candidates.filter(({value}) => value.startsWith(text))
}
