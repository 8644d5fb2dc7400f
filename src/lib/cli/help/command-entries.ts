import {GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {alignedLines, INDENT, type LabeledText, wrapIndented} from '#lib/cli/terminal/layout.js'
import {argumentWord, USUAL_RANK, YES_RANK} from '#lib/cli/terminal/read-argv.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import type {ManifestArgument, ManifestCommand, ManifestExample, ManifestFlag} from './manifest.js'

/** Formats examples, arguments and flags for help: the text to type, then its description. */

/** The command line of an example, with `drv` filled in. */
export function lineOf({command}: ManifestExample): string {
  return command.replace('<%= config.bin %>', 'drv')
}

/** One line per example with its description as a comment, or the comment above where that is too wide. */
export function exampleLines(examples: readonly ManifestExample[], width: number): string[] {
  const room = width - INDENT.length
  const beside = alignedLines(examples.map(one => [lineOf(one), `# ${one.description}`]))
  if (beside.every(line => displayWidth(line) <= room)) return beside.map(line => INDENT + line)
  return examples.flatMap(example => [
    ...wrapIndented(`# ${example.description}`, width),
    ...breakLine(lineOf(example), room).map(line => INDENT + line),
  ])
}

/** Breaks a command line with backslashes so that a shell reads it as one; never inside quotes. Pure. */
export function breakLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const words = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    // Every line except the last ends with ` \`.
    if (last !== undefined && displayWidth(`${last} ${word} \\`) <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(lines.length === 0 ? word : `${INDENT}${word}`)
  }
  return lines.map((text, at) => (at < lines.length - 1 ? `${text} \\` : text))
}

/** The flags without hidden ones, the most useful first, else in the order of the description. Pure. */
export function inOrderOfUse(flags: readonly ManifestFlag[]): readonly ManifestFlag[] {
  const place = (flag: ManifestFlag) =>
    flag.required || flag.helpGroup === 'PATH' ? -1 : rankOf(flag)
  return flags.filter(({hidden}) => !hidden).sort((one, other) => place(one) - place(other))
}

/** Whether a flag is rarely needed; where space is short, help shows only its name. */
export function isRare(flag: ManifestFlag): boolean {
  return rankOf(flag) > YES_RANK
}

function rankOf({name, helpGroup, rank = USUAL_RANK}: ManifestFlag): number {
  return helpGroup === 'GLOBAL' ? GLOBAL_FLAGS[name]!.rank : rank
}

/** The maximum width, in columns, of a list of values shown in place of a value name. */
const SHORT_LIST = 28

/** A flag with its value, and its description. `hasShort`: flags of the section have short names. */
export function flagEntry(flag: ManifestFlag, hasShort: boolean): LabeledText {
  const {char, name, allowNo, type, options, multiple, summary = ''} = flag
  const short = char ? `-${char}, ` : hasShort ? '    ' : ''
  const list = options?.join('|')
  const isShort = list !== undefined && list.length <= SHORT_LIST
  const value = type === 'boolean' ? '' : ` ${valueOf(flag, isShort ? list : undefined)}`
  const words = options && !isShort ? `${summary} One of: ${options.join(', ')}.` : summary
  const repeated = multiple ? '...' : ''
  return {name: `${short}--${allowNo ? '[no-]' : ''}${name}${value}${repeated}`, words}
}

/** The value name of a flag, such as `FILE`. */
export function valueOf({helpValue, name}: ManifestFlag, list?: string): string {
  return list ?? helpValue ?? name.toUpperCase().replaceAll('-', '_')
}

/** The names of a flag: `-J/--json`. */
export function spelling({char, name}: ManifestFlag): string {
  return char ? `-${char}/--${name}` : `--${name}`
}

/** The arguments without hidden ones. */
export function shownArguments({args = {}}: ManifestCommand): readonly ManifestArgument[] {
  return Object.values(args).filter(({hidden}) => !hidden)
}

/** An argument as in the usage line, and its description. */
export function argumentEntry(argument: ManifestArgument): LabeledText {
  const {description = '', options} = argument
  const words = options ? `${description} One of: ${options.join(', ')}.` : description
  return {name: argumentWord(argument), words}
}
