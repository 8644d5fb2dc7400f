import {Flags, type Interfaces} from '@oclif/core'
import {kebabCase} from '../../api/names.js'
import {type Operation, type OperationId, operation} from '../../api/operations.js'
import type {CallInput, PlannedInput} from '../../client/client.js'
import {ServiceError} from '../../client/errors.js'
import {createPaths, PATH_FIELDS, type Paths} from '../../transfer/remote/paths.js'
import {BaseCommand} from './base.js'
import {readBodyFlag} from '../arguments/body.js'
import {columnNames, isOfFiles, PATH_COLUMN, refuseUnknownColumns} from './columnsflag.js'
import {askBeforeDestroying, refuseUnasked} from '../guard/ask.js'
import {lossOf} from '../guard/destroys.js'
import type {LocalEnds} from '../guard/curl.js'
import {curlText} from '../guard/curltext.js'
import {refuseOperation} from '../guard/readonly.js'
import {NOTHING_DONE, standingOfRequest} from './standing.js'
import {UsageError} from './errors.js'
import {recordFields} from './listfields.js'
import {fillIn, maskNames, withDriveNames} from '../naming/fill.js'
import {createLookups} from '../naming/lookups.js'
import {namingWords} from '../naming/words.js'
import {argsOf, flagsOf} from '../arguments/flags.js'
import {
  type Values,
  deprecationNotes,
  bodyFromFlags,
  parametersFromFlags,
} from '../arguments/input.js'
import {safeJson} from '../output/cell.js'
import type {Row} from '../output/format.js'
import {hasColumns, selectedColumns} from '../output/columns.js'

/** What a command line is for, and the line: without `drv` in front, or whole behind `$ `. */
export type Example = readonly [purpose: string, line: string]

export interface OperationOptions {
  /** What the help says beyond the description of the operation. */
  readonly more?: string
  /** The commands to use instead, for a deprecated operation. */
  readonly successors?: readonly string[]
  /** Arguments after those of the path, and flags beyond those of the operation. */
  readonly args?: Interfaces.ArgInput
  readonly flags?: Interfaces.FlagInput
  /** What is sent where the command line says nothing. */
  readonly defaults?: (newId: () => string) => {
    /** By name of the flag. */
    readonly query?: Readonly<Record<string, string>>
    /** By name of the field. */
    readonly body?: Readonly<Record<string, unknown>>
  }
}

export interface Parsed {
  readonly args: Values
  readonly flags: Values
}

/** A request as `--dry-run` shows it, with where its content is on this machine. */
export type Planned = readonly [id: OperationId, input: PlannedInput, local?: LocalEnds]

/**
 * A command that is one operation of the service: it reads the request from the command line,
 * sends it and writes the answer. Rich commands override `input` or `perform`.
 */
export abstract class OperationCommand extends BaseCommand {
  #paths: Paths | undefined

  static override baseFlags: Interfaces.FlagInput = {
    ...BaseCommand.baseFlags,
    'dry-run': Flags.boolean({
      summary: 'Write the request instead of sending it.',
      char: 'n',
      helpGroup: 'GLOBAL',
    }),
    curl: Flags.boolean({
      summary: 'Write it as a line of curl for a shell that has DRV_TOKEN, instead of sending it.',
      helpGroup: 'GLOBAL',
    }),
  }

  // Methods, for oclif would copy extra statics into its manifest.
  protected abstract operation(): Operation
  protected abstract options(): OperationOptions

  protected override acceptedScopes() {
    return this.operation().scopes
  }

  protected override async execute(): Promise<void> {
    const given: Parsed = await this.parse()
    if (await this.printColumns(columnNames(this.operation()))) return
    this.noteDeprecations(given)
    await refuseOperation(this.context, this.operation(), commandLine(this.operation()))
    this.context.onInterrupt(() => NOTHING_DONE)
    const words = namingWords(this.operation(), given.args, given.flags)
    const {names, ...parsed} = maskNames(this.operation(), given, this.context.newId)
    const lookups = createLookups(this.context)
    const asked = await this.input(parsed)
    if (!parsed.flags['dry-run']) refuseUnasked(this.context, this.asked(asked, parsed))
    const input = await fillIn(asked, names, lookups)
    if (parsed.flags['dry-run']) {
      const planned = await this.planned(input, parsed)
      if (parsed.flags.curl) return this.print(await curlText(this.context, planned))
      return this.printRequest(planned[0], planned[1])
    }
    try {
      await this.askAndPerform(input, parsed)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error
      const renamed = await withDriveNames(input, words, lookups)
      if (!renamed) throw error
      await this.askAndPerform(renamed, parsed)
    }
  }

  // The description has them, so they are checked before anything is sent.
  protected override readonly knowsColumns: boolean = true
  protected override checkColumns(): void {}

  /** Records as they are written, with where they lie where that is asked for. */
  protected override async prepared(records: readonly Row[]): Promise<readonly Row[]> {
    if (!this.wantsPath) return super.prepared(records)
    this.#paths ??= createPaths(await this.context.client())
    const paths = await this.#paths.of(records)
    return super.prepared(
      records.map((record, index) => ({...record, [PATH_COLUMN]: paths[index]})),
    )
  }

  /** What to ask for where only some columns are wanted; a list asks it of its records. */
  protected fieldsOf(paths: readonly string[]): string {
    return recordFields(paths)
  }

  /** The `fields` of the request: as given, else what the columns need. Throws `UsageError`. */
  private fieldsFor(given: unknown): string | undefined {
    const {columns} = this.context.options
    if (!columns) return undefined
    refuseUnknownColumns(this.operation(), columns)
    if (given === undefined) {
      const real = columns.filter(column => !this.wantsPath || column !== PATH_COLUMN)
      return this.fieldsOf([...real, ...(this.wantsPath ? PATH_FIELDS : [])])
    }
    if (!this.wantsPath) return undefined
    throw new UsageError(
      '--columns path asks for fields of its own, which --fields leaves out.',
      'Leave out --fields.',
    )
  }

  private get wantsPath(): boolean {
    const {columns = []} = this.context.options
    return columns.includes(PATH_COLUMN) && isOfFiles(this.operation())
  }

  /** What to send. Throws `UsageError` before anything is sent. */
  protected async input({args, flags}: Parsed): Promise<CallInput> {
    const fields = this.fieldsFor(flags.fields)
    const {query = {}, body = {}} = this.options().defaults?.(this.context.newId) ?? {}
    const document = await readBodyFlag(flags.body as string | undefined, this.context)
    return {
      params: {
        ...parametersFromFlags(this.operation(), args, {...query, ...flags}),
        ...(fields !== undefined && {fields}),
      },
      body: bodyFromFlags(this.operation(), flags, {...body, ...document}),
    }
  }

  /** The request that `--dry-run` shows: of several, the one that does what is asked for. */
  protected async planned(input: CallInput, _parsed: Parsed): Promise<Planned> {
    return [this.operation().operationId, input]
  }

  /** Sends the request and writes the answer. */
  protected async perform(input: CallInput, parsed: Parsed): Promise<void> {
    const client = await this.context.client()
    const answer = await client.call(this.operation().operationId, input)
    await this.printAnswer(answer, parsed)
  }

  /**
   * Writes the answer's record; an operation without one writes nothing, or `{}` as JSON. On a pipe
   * a record is the row it would be in a list, so that `--fields id` gives an ID and nothing else.
   */
  protected async printAnswer(
    answer: Readonly<Record<string, unknown>> | undefined,
    {flags}: Parsed,
  ): Promise<void> {
    const columns = selectedColumns(flags.fields, 'record')
    if (!answer) return this.isStructured ? this.printRecord({}) : undefined
    const {options} = this.context
    const isRow =
      this.output.isRows && ((options.columns ?? columns) !== undefined || hasColumns(answer))
    return isRow ? this.printRecords([answer], columns) : this.printRecord(answer, columns)
  }

  private async printRequest(id: OperationId, input: PlannedInput): Promise<void> {
    const request = (await this.context.client()).prepare(id, input)
    if (this.isStructured) {
      return this.print(await this.output.record({...request}, {width: this.context.io.width}))
    }
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\n`)
    const body = request.body ? `\n${safeJson(request.body, 2)}\n` : ''
    await this.print(`${request.method} ${request.url}\n${headers.join('')}${body}`)
  }

  private noteDeprecations({flags}: Parsed): void {
    const {successors} = this.options()
    if (successors) {
      const line = commandLine(this.operation())
      const instead = successors.map(successor => `\`drv ${successor}\``).join(' and ')
      this.context.note(`Note: \`drv ${line}\` is deprecated. Use ${instead} instead.`)
    }
    for (const note of deprecationNotes(this.operation(), flags)) this.context.note(note)
  }

  private asked(input: CallInput, {flags}: Parsed) {
    return {id: this.operation().operationId, inputs: [input], isYes: Boolean(flags.yes)}
  }

  private async askAndPerform(input: CallInput, parsed: Parsed): Promise<void> {
    await askBeforeDestroying(this.context, this.asked(input, parsed))
    this.context.onInterrupt(() => standingOfRequest(this.operation().httpMethod))
    await this.perform(input, parsed)
  }
}

/** Of every command that asks before it does what cannot be undone. */
export const yes = Flags.boolean({summary: 'Do not ask before doing it.', char: 'y'})

/**
 * The command of an operation: arguments, flags and help come from the description. Every call
 * makes a class of its own, because oclif writes the command's name onto it.
 */
export function operationCommand(
  id: OperationId,
  examples: readonly Example[],
  options: OperationOptions = {},
) {
  const described = operation(id)
  return class extends OperationCommand {
    static override args = {...argsOf(described), ...options.args}
    static override flags: Interfaces.FlagInput = {
      ...flagsOf(described, Object.keys(options.defaults?.(() => '').body ?? {})),
      ...(lossOf(id) ? {yes} : {}),
      ...options.flags,
    }
    static override summary = splitSentence(described.description)[0]
    static override usage = usageOf(described, {...argsOf(described), ...options.args})
    static override description = helpText(described, options)
    static override examples = examplesOf(examples)
    static override state = described.deprecated ? 'deprecated' : undefined

    protected override operation() {
      return described
    }

    protected override options() {
      return options
    }
  }
}

/** Examples as oclif's help shows them. */
export function examplesOf(examples: readonly Example[]) {
  return examples.map(([description, line]) => ({
    description,
    command: line.startsWith('$ ') ? line.slice(2) : `<%= config.bin %> ${line}`,
  }))
}

/** The command of an operation as people type it: `files generate-ids`. */
export function commandLine({resource, verb}: Operation): string {
  return `${resource} ${kebabCase(verb)}`
}

/** What one writes to use it, without the many flags: the help lists them below. */
function usageOf(described: Operation, args: Interfaces.ArgInput): string {
  const words = Object.entries(args).map(([name, {required}]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  )
  return [commandLine(described), ...words, '[FLAGS]'].join(' ')
}

/** The description's first sentence; oclif shows it by itself, so the rest goes on from there. */
function splitSentence(text: string): readonly [first: string, rest: string] {
  const first = /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text
  return [first, text.slice(first.length).trim()]
}

function helpText({description, httpMethod, path}: Operation, {more}: OperationOptions): string {
  const about = [splitSentence(description)[1], more].filter(Boolean).join(' ')
  return [about, `The request is ${httpMethod} ${path}.`].filter(Boolean).join('\n\n')
}
