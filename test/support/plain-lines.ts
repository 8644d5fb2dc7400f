/**
 * Lines of a shell that need no shell: commands of `drv`, alone, as pipelines, or with files as input and output.
 * Tests run these in their own process, which costs a tenth of a shell and a Node process.
 */

/** One command of a pipeline. */
export interface PlainCommand {
  readonly args: readonly string[]
  /** Variables set for this command. */
  readonly env: Readonly<Record<string, string>>
  /** Files that replace standard input and output. */
  readonly source?: string
  readonly target?: {readonly path: string; readonly isAppended: boolean}
}

export type Pipeline = readonly PlainCommand[]

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The pipelines of a script, in order; nothing if a line needs a shell, a process of its own or a person. Empty lines
 * and comments do not count. Variables are replaced. Pure.
 */
export function plainLines(
  script: string,
  variables: Variables = {},
): readonly Pipeline[] | undefined {
  const pipelines: Pipeline[] = []
  for (const line of script.split('\n')) {
    const tokens = tokensOf(line.trim(), variables)
    if (tokens === undefined) return undefined
    if (tokens.length === 0) continue
    for (const part of split(tokens, '&&')) {
      const commands = split(part, '|').map(commandOf)
      if (!commands.every(command => command !== undefined)) return undefined
      pipelines.push(commands)
    }
  }
  return pipelines
}

type Token = {readonly word: string; readonly isAssignment: boolean} | {readonly operator: string}

const COMMENT = /(?:^|\s+)#.*$/y
const OPERATOR = /\s*(&&|\||<|>>?)\s*/y
const WORD = /\s*((?:'[^']*'|"[^"\\`]*"|[\w./:=@,+%~$-])+)(?=\s|$|[&|])/y
const PIECE = /'([^']*)'|"([^"]*)"|([^'"]+)/g

/** The words and operators of a line; nothing if it has anything else. */
function tokensOf(line: string, variables: Variables): readonly Token[] | undefined {
  const tokens: Token[] = []
  let at = 0
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    if (match) at = pattern.lastIndex
    return match
  }
  while (at < line.length) {
    if (next(COMMENT)) break
    const operator = next(OPERATOR)?.[1]
    if (operator !== undefined) {
      tokens.push({operator})
      continue
    }
    const text = next(WORD)?.[1]
    const word = text === undefined ? undefined : expand(text, variables)
    if (word === undefined) return undefined
    tokens.push({word, isAssignment: /^[A-Z_]+=/.test(text!)})
  }
  return tokens
}

/** A word without quotes, with the values of variables; nothing if one is unknown, or might be several words. */
function expand(text: string, variables: Variables): string | undefined {
  const home = text.startsWith('~/') ? variables.HOME : ''
  let isComplete = home !== undefined && !text.slice(1).includes('~')
  const fill = (part: string, isQuoted: boolean) =>
    part.replace(/\$(\w*)/g, (_, name: string) => {
      const value = variables[name]
      if (value === undefined || !(isQuoted || /^[\w.:/-]+$/.test(value))) isComplete = false
      return value ?? ''
    })
  const word = text
    .slice(home === '' ? 0 : 1)
    .replace(
      PIECE,
      (_, literal?: string, quoted?: string, bare?: string) =>
        literal ?? (quoted === undefined ? fill(bare!, false) : fill(quoted, true)),
    )
  return isComplete ? `${home}${word}` : undefined
}

function split(tokens: readonly Token[], operator: string): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if ('operator' in token && token.operator === operator) parts.push([])
    else parts.at(-1)!.push(token)
  }
  return parts
}

/** A command, if it is `drv` and runs in any process. */
function commandOf(tokens: readonly Token[]): PlainCommand | undefined {
  const words: string[] = []
  const env: Record<string, string> = {}
  let files: Pick<PlainCommand, 'source' | 'target'> = {}
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!
    if ('word' in token) {
      const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(token.word) ?? []
      if (token.isAssignment && words.length === 0) env[name!] = value!
      else words.push(token.word)
      continue
    }
    const path = tokens[(at += 1)]
    if (path === undefined || !('word' in path)) return undefined
    files =
      token.operator === '<'
        ? {...files, source: path.word}
        : {...files, target: {path: path.word, isAppended: token.operator === '>>'}}
  }
  const [name, ...args] = words
  return name === 'drv' && !needsProcess(args) ? {args, env, ...files} : undefined
}

/**
 * Whether a command waits for a person, a program or a signal, or deletes a database, of which this process may
 * still have handles.
 */
function needsProcess(args: readonly string[]): boolean {
  const [topic, verb] = args
  return (
    (topic === 'auth' && verb === 'login') ||
    (topic === 'local' && ['run', 'serve', 'reset'].includes(verb!)) ||
    (topic === 'follow' && !args.includes('--once')) ||
    args.some(arg => arg === '--follow' || arg === '--listen')
  )
}
