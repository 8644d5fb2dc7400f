import type {Interfaces} from '@oclif/core'
import {isOfSameApi, type Operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE, standingOfRequest} from '#lib/cli/explain/interruption.js'
import {filterBehindQuiet} from '#lib/cli/explain/parse-errors.js'
import {askBeforeDestroying, refuseUnasked} from '#lib/cli/guard/confirm-destroying.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import {destroys} from '#lib/cli/guard/destroys.js'
import {refuseOperation} from '#lib/cli/guard/read-only.js'
import {
  bodyFromFlags,
  deprecationNotes,
  parametersFromFlags,
  type Parsed,
  type Values,
} from '#lib/cli/input/call-input.js'
import {
  checkOneReader,
  hasFrom,
  isList,
  mayBeMany,
  optional,
  optionalArgs,
  severalArgument,
} from '#lib/cli/input/items/several.js'
import {readBodyFlag} from '#lib/cli/input/json-input.js'
import {type Given, missingFields, type Need} from '#lib/cli/input/missing-inputs.js'
import {createLookups} from '#lib/cli/input/names/lookups.js'
import {
  type Checked,
  namingWords,
  resolveDriveNames,
  resolveNames,
} from '#lib/cli/input/names/request-names.js'
import {hasColumns, selectedColumns} from '#lib/cli/output/columns.js'
import {isOfFiles, PATH_COLUMN, SAVED_COLUMNS} from '#lib/cli/output/columns-flag.js'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields, rowFields} from '#lib/cli/output/list-fields.js'
import type {CallInput} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import type {Paths} from '#lib/transfer/remote/paths.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import {BaseCommand} from './base-command.js'
import {operationBaseFlags} from './base-flags.js'
import type {Columns} from './columns.js'
import type {ItemRunner} from './item-runner.js'
import {commandLine} from './operation-help.js'
import {carryOut, previewOf, type Route} from './plan.js'
import type {Printer, PrinterOptions} from './printer.js'

/** What the functions of an operation's options work with. */
export interface Surroundings {
  readonly context: Context
  readonly printer: Printer
  /** Everything behind the command, as typed. */
  readonly argv: readonly string[]
}

export interface OperationOptions {
  /** What the help says beyond the description of the operation. */
  readonly more?: string
  /** The commands to use instead, for a deprecated operation. */
  readonly successors?: readonly string[]
  /** The argument that may be several; without it the last of the path, where no other follows. */
  readonly several?: string
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
  /** What messages call the command; by default what the operation is called. */
  readonly name?: string
  /** To people too an answer is the row that it would be in a list. */
  readonly isBrief?: boolean
  /** Refuses the command line for one thing. Throws `UsageError`. */
  readonly checkOne?: (given: Parsed) => void
  /** What to send, where it is not just what `standard` gives. Throws `UsageError`. */
  readonly request?: (
    standard: () => Promise<CallInput>,
    parsed: Parsed,
    surroundings: Surroundings,
  ) => Promise<CallInput>
  /** How a request is carried out, where it is not just sent. */
  readonly route?: (
    input: CallInput,
    parsed: Parsed,
    surroundings: Surroundings,
  ) => Route | undefined
  /** Prints the answer for one thing; `standard` prints a record as other operations do. */
  readonly print?: (
    answer: Row | undefined,
    parsed: Parsed,
    surroundings: Surroundings,
    standard: (answer: Row | undefined) => Promise<void>,
  ) => Promise<void>
}

/**
 * A command that is one operation of the service: it reads the request from the command line,
 * sends it and writes the answer.
 */
export abstract class OperationCommand extends BaseCommand {
  #paths: Paths | undefined
  /** One of many things is done, whose answer is a row. */
  #isOfMany = false
  /** Records are written with where they lie. */
  protected wantsPath = false

  static override baseFlags = operationBaseFlags

  // Methods, for oclif would copy extra statics into its manifest.
  protected abstract operation(): Operation
  protected abstract options(): OperationOptions

  protected override acceptedScopes() {
    return this.operation().scopes
  }

  protected override async execute(): Promise<void> {
    const given = this.settled(await this.parse(this.reading()))
    checkOneReader(given)
    this.noteDeprecations(given)
    await refuseOperation(this.context, this.operation(), this.named())
    this.context.onInterrupt(() => NOTHING_DONE)
    if (await this.doMany(given)) return
    const several = this.several()
    const {args} = given
    const one = several === undefined ? args : {...args, [several]: [args[several]].flat()[0]}
    await this.doOne({...given, args: one})
  }

  private async doOne(given: Parsed): Promise<void> {
    const lookups = createLookups(this.context)
    const checked = await this.check(given)
    if (!given.flags['dry-run']) refuseUnasked(this.context, this.asked([checked.input], given))
    const input = await resolveNames(checked, lookups)
    if (given.flags['dry-run']) {
      return this.showPlanned(await previewOf(this.route(input, given)), given)
    }
    try {
      await this.askAndPerform(input, given)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error
      const renamed = await resolveDriveNames(input, checked.words, lookups)
      if (!renamed) throw error
      await this.askAndPerform(renamed, given)
    }
  }

  /** Does it for each thing, where the command line names several; tells whether it does. */
  private async doMany(given: Parsed): Promise<boolean> {
    if (!mayBeMany(given, this.several())) return false
    const mistake = this.several() !== 'path' && filterBehindQuiet(this.argv)
    if (mistake) throw mistake
    const {many} = await import('./many.js')
    const {args, flags} = this.inputs()
    const command = {operation: this.operation(), args, flags, several: this.several()}
    return many({...command, runner: this.itemRunner(given)}, given)
  }

  /** The command line as everything else reads it. Throws `UsageError`. */
  protected settled(given: Parsed): Parsed {
    return given
  }

  /** What messages call it. */
  protected named(): string {
    return this.options().name ?? commandLine(this.operation())
  }

  /** What is read of the command line: with records to come nothing is needed there. */
  protected reading(): Inputs {
    const inputs = this.inputs()
    if (!hasFrom(this.argv)) return inputs
    return {...inputs, args: optionalArgs(inputs.args), flags: optional(inputs.flags)}
  }

  protected override missing(inputs: Inputs, given: Given): readonly Need[] {
    const needs = super.missing(inputs, given)
    // Another API may call quite other things so.
    if (isOfSameApi(this.operation().document)) return needs
    return needs.map(need => ({...need, kind: 'text'}))
  }

  /** Fields of the body, which only the request itself needs. */
  protected override lacks({flags}: Given): readonly Need[] {
    const operation = this.operation()
    if (!operation.request || flags.body !== undefined || hasFrom(this.argv)) return []
    const {body = {}} = this.options().defaults?.(() => '') ?? {}
    return missingFields(operation, flags, Object.keys(body))
  }

  protected override async beforeAsking(context: Context): Promise<void> {
    await refuseOperation(context, this.operation(), commandLine(this.operation()))
  }

  protected inputs(): Inputs {
    const {args = {}, flags = {}, baseFlags} = this.ctor as Partial<Inputs>
    return {args, flags, baseFlags}
  }

  /** The argument that may be several. */
  private several(): string | undefined {
    return severalOf(this.operation(), this.options())
  }

  /** Checks a command line, but for what is to be looked up. Throws `UsageError`. */
  private async check(line: Parsed): Promise<Checked> {
    this.options().checkOne?.(line)
    const words = namingWords(this.operation(), line.args, line.flags)
    return {words, input: await this.input(line)}
  }

  /** The same things that are done for one, for many. */
  protected itemRunner(given: Parsed): ItemRunner {
    const {flags} = given
    this.#isOfMany = true
    const columns = selectedColumns(flags.fields, 'record')
    return {
      context: this.context,
      operation: this.operation(),
      results: {
        output: this.printer.output,
        isOfLists: isList(this.operation()),
        text: () =>
          (this.printer.output.array ?? this.printer.output.list)(this.printer.layout(columns)),
        prepared: records => this.printer.prepare(records),
        show: text => this.printer.show(text),
      },
      adopt: context => this.adopt(context),
      check: given => this.check(given),
      route: (input, parsed) => this.route(input, parsed),
      mayDestroy: input => !flags.yes && destroys(this.operation(), input) !== false,
      refuseUnasked: inputs => refuseUnasked(this.context, this.asked(inputs, given)),
      ask: inputs => askBeforeDestroying(this.context, this.asked(inputs, given)),
      explain: error => this.explained(error),
    }
  }

  /** Those of the response; of content that is written to a file what is told of it then. */
  protected override columns({output}: Values): Columns {
    if (output === undefined) return {of: this.operation()}
    return output === '-' ? [] : SAVED_COLUMNS
  }

  protected override printerOptions(): Omit<PrinterOptions, 'jq'> {
    return {complete: records => this.withPaths(records)}
  }

  /** Records with the paths that lead to them, where these are wanted. */
  private async withPaths(records: readonly Row[]): Promise<readonly Row[]> {
    if (!this.wantsPath) return records
    const {createPaths} = await import('#lib/transfer/remote/paths.js')
    this.#paths ??= createPaths(await this.context.client())
    const paths = await this.#paths.of(records)
    return records.map((record, index) => ({...record, [PATH_COLUMN]: paths[index]}))
  }

  /** A wish for fields, and some more paths; a list asks for these of its records. */
  protected fieldsWith(wish: string, paths: readonly string[]): string {
    return `${wish},${recordFields(paths)}`
  }

  /** What to ask for where only some columns are wanted; a list asks it of its records. */
  protected fieldsOf(paths: readonly string[]): string {
    return recordFields(paths)
  }

  /** The `fields` of the request: as given, else what the columns need; with what a path needs. */
  private fieldsFor({fields: given, output}: Values): string | undefined {
    const {columns} = this.context.options
    if (output !== undefined) return undefined
    if (!columns) {
      const isRow = (this.#isOfMany || this.options().isBrief) && given === undefined
      return isRow ? this.fieldsOfRow() : undefined
    }
    this.wantsPath = columns.includes(PATH_COLUMN) && isOfFiles(this.operation())
    const forPath = this.wantsPath ? PATH_FIELDS : []
    if (given !== undefined) {
      return forPath.length > 0 ? this.fieldsWith(String(given), forPath) : undefined
    }
    const real = columns.filter(column => !this.wantsPath || column !== PATH_COLUMN)
    return this.fieldsOf([...real, ...forPath])
  }

  /** What to ask for where the answer is one row of many; all of it for programs. */
  private fieldsOfRow(): string | undefined {
    return this.printer.isStructured ? undefined : rowFields(this.operation(), this.printer.output)
  }

  /** What to send. Throws `UsageError` before anything is sent. */
  protected async input(parsed: Parsed): Promise<CallInput> {
    const standard = () => this.requestOf(parsed)
    const {request} = this.options()
    return request ? request(standard, parsed, this.surroundings()) : standard()
  }

  /** The request that the description makes of a command line. */
  private async requestOf({args, flags, document}: Parsed): Promise<CallInput> {
    const fields = this.fieldsFor(flags)
    const {query = {}, body = {}} = this.options().defaults?.(this.context.newId) ?? {}
    if (flags.q !== undefined) {
      const {refuseUnreadableQuery} = await import('#lib/cli/input/query-check.js')
      refuseUnreadableQuery(this.operation(), String(flags.q))
    }
    const whole = await readBodyFlag(flags.body as string | undefined, this.context)
    return {
      params: {
        ...parametersFromFlags(this.operation(), args, {...query, ...flags}),
        ...(fields !== undefined && {fields}),
      },
      body: bodyFromFlags(this.operation(), flags, {...body, ...document, ...whole}),
    }
  }

  /** How the request is carried out: as one call, unless the options say otherwise. */
  private route(input: CallInput, parsed: Parsed): Route {
    const call = {id: this.operation().operationId, input}
    return this.options().route?.(input, parsed, this.surroundings()) ?? {call}
  }

  /** Carries out the request and prints the response. */
  private async perform(input: CallInput, parsed: Parsed): Promise<void> {
    const route = this.route(input, parsed)
    if (route.print) return route.print()
    await this.printAnswer(await carryOut(route, await this.context.client()), parsed)
  }

  private surroundings(): Surroundings {
    const {context, printer, argv} = this
    return {context, printer, argv}
  }

  protected async printAnswer(answer: Row | undefined, parsed: Parsed): Promise<void> {
    const {print} = this.options()
    const standard = (answer: Row | undefined) => this.printRecord(answer, parsed)
    if (!print) return standard(answer)
    await print(answer, parsed, this.surroundings(), standard)
  }

  /**
   * Writes the answer's record; an operation without one writes nothing, or `{}` as JSON. On a pipe
   * a record is the row it would be in a list, so that `--fields id` gives an ID and nothing else.
   */
  private async printRecord(answer: Row | undefined, {flags}: Parsed): Promise<void> {
    const columns = selectedColumns(flags.fields, 'record')
    if (!answer) return this.printer.isStructured ? this.printer.record({}) : undefined
    const {options} = this.context
    const isRow =
      (this.printer.output.isRows || (this.options().isBrief && this.printer.output.isForPeople)) &&
      ((options.columns ?? columns) !== undefined || hasColumns(answer))
    return isRow ? this.printer.records([answer], columns) : this.printer.record(answer, columns)
  }

  /** Writes a request in the place of its answer. */
  protected async showPlanned(planned: PlannedRequest, {flags}: Parsed): Promise<void> {
    if (flags.curl) {
      const {curlText} = await import('#lib/cli/guard/curl.js')
      return this.printer.print(await curlText(this.context, [planned]))
    }
    const [id, input] = planned
    const request = (await this.context.client()).prepare(id, input)
    const {requestText} = await import('./preview.js')
    if (!this.printer.isStructured) return this.printer.print(requestText(request))
    await this.printer.print(
      await this.printer.output.record({...request}, {width: this.context.io.width}),
    )
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

  private asked(inputs: readonly CallInput[], {flags}: Parsed) {
    return {operation: this.operation(), inputs, isYes: Boolean(flags.yes)}
  }

  private async askAndPerform(input: CallInput, parsed: Parsed): Promise<void> {
    await askBeforeDestroying(this.context, this.asked([input], parsed))
    this.context.onInterrupt(() => standingOfRequest(this.operation().httpMethod))
    await this.perform(input, parsed)
  }
}

/** What oclif reads a command line by. */
export interface Inputs {
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
  readonly baseFlags?: Interfaces.FlagInput
}

/** The argument of a command that may be several. */
export function severalOf(
  described: Operation,
  {several, args}: OperationOptions,
): string | undefined {
  return several ?? (args ? undefined : severalArgument(described))
}
