import {GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {alignedLines, type Entry, INDENT, indented} from '#lib/cli/terminal/layout.js'
import {argumentWord, USUAL_RANK, YES_RANK} from '#lib/cli/terminal/read-argv.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import type {ManifestArgument, ManifestCommand, ManifestExample, ManifestFlag} from './manifest.js'

/** What a help names: examples, arguments and flags as one types them, with what each is for. */

/** An example's command line as one types it. */
export function lineOf({command}: ManifestExample): string {
  return command.replace('<%= config.bin %>', 'drv')
}

/** Examples, each on one line with its purpose behind it where all of them fit so. */
export function exampleLines(examples: readonly ManifestExample[], width: number): string[] {
  const room = width - INDENT.length
  const beside = alignedLines(examples.map(one => [lineOf(one), `# ${one.description}`]))
  if (beside.every(line => displayWidth(line) <= room)) return beside.map(line => INDENT + line)
  return examples.flatMap(example => [
    ...indented(`# ${example.description}`, width),
    ...broken(lineOf(example), room).map(line => INDENT + line),
  ])
}

/** A command line in lines that a shell takes for one; a text in quotes stays whole. Pure. */
export function broken(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const words = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    // Each line but the last ends with ` \`.
    if (last !== undefined && displayWidth(`${last} ${word} \\`) <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(lines.length === 0 ? word : `${INDENT}${word}`)
  }
  return lines.map((text, at) => (at < lines.length - 1 ? `${text} \\` : text))
}

/** Flags that a person may see: those of use first, then as the description has them. Pure. */
export function inOrderOfUse(flags: readonly ManifestFlag[]): readonly ManifestFlag[] {
  const place = (flag: ManifestFlag) =>
    flag.required || flag.helpGroup === 'PATH' ? -1 : rankOf(flag)
  return flags.filter(({hidden}) => !hidden).sort((one, other) => place(one) - place(other))
}

/** Whether almost nobody needs a flag, so that its name is enough where there is little room. */
export function isRare(flag: ManifestFlag): boolean {
  return rankOf(flag) > YES_RANK
}

function rankOf({name, helpGroup, rank = USUAL_RANK}: ManifestFlag): number {
  return helpGroup === 'GLOBAL' ? GLOBAL_FLAGS[name]!.rank : rank
}

/** Values that are named in place of a word for them take no more columns than this. */
const SHORT_LIST = 28

/** A flag as it is typed, and what it is for. `hasShort`: some of its section have short names. */
export function flagEntry(flag: ManifestFlag, hasShort: boolean): Entry {
  const {char, name, allowNo, type, options, multiple, summary = ''} = flag
  const short = char ? `-${char}, ` : hasShort ? '    ' : ''
  const list = options?.join('|')
  const isShort = list !== undefined && list.length <= SHORT_LIST
  const value = type === 'boolean' ? '' : ` ${valueOf(flag, isShort ? list : undefined)}`
  const words = options && !isShort ? `${summary} One of: ${options.join(', ')}.` : summary
  const repeated = multiple ? '...' : ''
  return {name: `${short}--${allowNo ? '[no-]' : ''}${name}${value}${repeated}`, words}
}

/** The word that stands for a flag's value, such as `FILE`. */
export function valueOf({helpValue, name}: ManifestFlag, list?: string): string {
  return list ?? helpValue ?? name.toUpperCase().replaceAll('-', '_')
}

/** A flag by its names: `-J/--json`. */
export function spelling({char, name}: ManifestFlag): string {
  return char ? `-${char}/--${name}` : `--${name}`
}

/** Arguments that a person may see. */
export function shownArguments({args = {}}: ManifestCommand): readonly ManifestArgument[] {
  return Object.values(args).filter(({hidden}) => !hidden)
}

/** An argument as it stands in a usage line, and what it is for. */
export function argumentEntry(argument: ManifestArgument): Entry {
  const {description = '', options} = argument
  const words = options ? `${description} One of: ${options.join(', ')}.` : description
  return {name: argumentWord(argument), words}
}
