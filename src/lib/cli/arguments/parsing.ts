import {Errors} from '@oclif/core'

export interface ParsingFailure {
  readonly message: string
  /** The flag nobody knows, without dashes. */
  readonly unknownFlag?: string
}

/** oclif's parse errors carry what they are about beside a text of several lines. */
interface Carried {
  readonly args?: ReadonlyArray<string | {readonly name: string; readonly description?: string}>
  readonly flags?: readonly string[]
}

/** One sentence for an error of oclif's parser; `undefined` for any other error. */
export function explainParsing(error: unknown): ParsingFailure | undefined {
  if (!(error instanceof Errors.CLIError)) return undefined
  const {args, flags} = error as Carried
  const unknownFlag = flags?.[0]
  if (unknownFlag) {
    const name = unknownFlag.split('=')[0]!
    return {message: `There is no flag ${name}.`, unknownFlag: name.replace(/^-+/, '')}
  }
  const first = args?.[0]
  if (typeof first === 'string') return {message: `One argument too many: "${first}".`}
  if (first) {
    const {name, description = ''} = first
    return {message: `${name.toUpperCase()} is missing: ${description.replace(/\.$/, '')}.`}
  }
  return {message: plain(error.message)}
}

/** The one line of oclif's text that says what is wrong. */
function plain(text: string): string {
  const lines = text
    // eslint-disable-next-line no-control-regex -- colours are what is taken out
    .replace(/\u001b\[[\d;]*m/g, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line && !/^(See more help|The following errors? occurred)/.test(line))
  return (lines[0] ?? text).replace(/^Missing required flag (\S+)$/, '--$1 is missing')
}
