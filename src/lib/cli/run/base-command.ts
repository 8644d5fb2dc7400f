import {setMaxListeners} from 'node:events'
import {Command, Errors, type Interfaces} from '@oclif/core'
import {type Context} from '#lib/cli/context/context.js'
import {createContext} from '#lib/cli/context/create-context.js'
import {explain, type Failure, failureJson, failureText, isAbort} from '#lib/cli/explain/explain.js'
import {interruption} from '#lib/cli/explain/interruption.js'
import {type RequestFacts} from '#lib/cli/explain/service-answer.js'
import type {Effect} from '#lib/cli/guard/destroys.js'
import {refuseFlags} from '#lib/cli/guard/refused-flags.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {fieldFor, mayBeEveryday} from '#lib/cli/output/everyday-names.js'
import {formats} from '#lib/cli/output/formats.js'
import {
  type GlobalOptions,
  globalOptions,
  isOnByDefault,
  wantsJson,
} from '#lib/cli/output/global-options.js'
import {ClosedPipe, TimedOut} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {brokenPipe, processIo} from '#lib/cli/terminal/io.js'
import {createSay, takeEnvironment} from '#lib/cli/terminal/say.js'
import {ServiceError} from '#lib/client/errors.js'
import type {Send} from '#lib/client/transport/transport.js'
import {columnNamesOf, type Columns, createPrinter, type Printer, settleColumns} from './printer.js'
import {baseFlags, type ParserOptions, readCommandLine} from './read-line.js'
import type {AnyVerb, ParsedLine} from './verb-description.js'

/** The time, in milliseconds, that an interrupted command has to stop. */
const LONGEST_END = 3000

/**
 * Runs a verb as an oclif command: signals, timeout, context, and uniform errors. Does not use oclif's
 * own `--json`, which turns every exit code into 1 and prints argv and the configuration when parsing
 * fails.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = false

  static override baseFlags: Interfaces.FlagInput = baseFlags

  /** The effect on files, access and settings; oclif copies it into the manifest. */
  static effect: Effect

  // First of all, remove secrets from the environment of the process.
  readonly #environment = takeEnvironment(process.env)
  readonly #controller = new AbortController()
  #context: Context | undefined
  #timer: NodeJS.Timeout | undefined
  /** The parsed flags. */
  #flags: FlagValues = {}
  /** The verb that replaced the command's own. */
  #delegate: AnyVerb | undefined

  /** The verb; an instance member, because oclif copies static ones into the manifest. */
  protected abstract readonly verb: AnyVerb

  /** The names of its columns without flags, for the list of all commands. */
  columnNames(): readonly string[] {
    return columnNamesOf(columnsOf(this.verb, {}, {} as GlobalOptions) ?? [])
  }

  /** Runs the verb until it ends, a signal arrives or `--timeout` expires. */
  override async run(): Promise<void> {
    const {signal} = this.#controller
    // Each request adds a listener, and there may be many at a time.
    setMaxListeners(0, signal)
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), {once: true})
    })
    const onSignal = (name: NodeJS.Signals) => {
      const handle = this.#context?.signalHandler()
      if (handle) handle(name)
      else this.interrupt()
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
    // oclif throws errors of standard output where they cannot be caught; `write` reports them.
    process.stdout.removeAllListeners('error').on('error', () => {})
    process.stderr.on('error', () => {})
    try {
      try {
        await Promise.race([this.execute(), stopped])
      } finally {
        clearTimeout(this.#timer)
        await this.#context?.pager.end()
      }
      signal.throwIfAborted()
      await this.#context?.told()
      await this.#context?.succeeded()
    } finally {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    }
  }

  /** Reads the command line and runs the verb, or its delegate. */
  protected async execute(): Promise<void> {
    const line = await this.read(this.verb, this.argv)
    const context = this.contextOf(line.flags)
    this.startTimer(context)
    const next = await this.verb.delegate?.(line, context)
    if (!next) return this.runVerb(this.verb, line, context)
    const {verb, argv, counterpart} = next
    this.#delegate = verb
    if (counterpart) context.setCounterpart(counterpart)
    this.#context = {...context, command: this.commandName()}
    await this.runVerb(verb, await this.read(verb, argv), this.#context)
  }

  private async runVerb(verb: AnyVerb, line: ParsedLine, given: Context): Promise<void> {
    const context = withFieldNames(given, columnsOf(verb, line.flags, given.options))
    await verb.run(line, context, await this.printerOf(verb, line.flags, context))
  }

  private async read(verb: AnyVerb, argv: readonly string[]): Promise<ParsedLine> {
    const line = await readCommandLine(verb, argv, {
      parse: (inputs: ParserOptions, words: string[]) => this.parse(inputs, words),
      mayAsk: this.mayAsk(argv),
      contextOf: flags => this.contextOf(flags),
      command: this.commandName(),
    })
    refuseFlags(verb, line.flags, this.commandName())
    // The variable has the same effect as the flag.
    const {dryRun} = this.contextOf(line.flags).options
    this.#flags = dryRun ? {...line.flags, 'dry-run': true} : line.flags
    return {...line, flags: this.#flags}
  }

  /** Creates the printer; ends the command for `--columns help`. */
  private async printerOf(verb: AnyVerb, flags: FlagValues, context: Context): Promise<Printer> {
    const columns = columnsOf(verb, flags, context.options)
    const options = {...verb.printing?.(flags, context), keepsTexts: verb.isOfApi}
    const printer = createPrinter(context, options)
    if (columns) await settleColumns(context, printer, columns)
    const {jq} = context.options
    if (jq === undefined) return printer
    const {compileJq, jqFormat} = await import('#lib/cli/output/jq.js')
    return createPrinter(context, {
      ...options,
      jq: jqFormat(await compileJq(jq, printer.format === 'ndjson'), formats[printer.format]),
    })
  }

  /** Handles SIGINT and SIGTERM; a second signal ends the process at once. */
  private interrupt(): void {
    if (this.#controller.signal.aborted) process.exit(exitCodes.interrupted)
    // Do not wait longer for work that does not stop.
    setTimeout(() => process.exit(exitCodes.interrupted), LONGEST_END).unref()
    this.stop(interruption(this.#context?.standing()))
  }

  /** Ends the command with `reason`. */
  private stop(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Whether drv can prompt for missing inputs; then standard input has no lines to read. */
  private mayAsk(argv: readonly string[]): boolean {
    const noInput = isOnByDefault('no-input', argv, this.#environment)
    const {interactive, isDumb} = processIo(
      {noInput, quiet: false, noColor: true},
      this.#environment,
    )
    return interactive && !isDumb && !argv.includes('-')
  }

  /** The context, created on first use. */
  private contextOf(flags: FlagValues): Context {
    this.#context ??= this.createContext(
      globalOptions(flags, this.#environment),
      this.#controller.signal,
    )
    return this.#context
  }

  private startTimer({options: {timeout}, waits}: Context): void {
    if (timeout === undefined) return
    const end = () => this.stop(new TimedOut(timeout, waits.longest()))
    this.#timer = setTimeout(end, timeout * 1000)
  }

  /** Creates the context; tests override it, or pass a transport. */
  protected createContext(options: GlobalOptions, signal: AbortSignal, transport?: Send): Context {
    return createContext({
      options,
      environment: this.#environment,
      signal,
      stop: reason => this.stop(reason),
      command: this.commandName(),
      appliesPlan: this.verb.appliesPlan,
      typed: this.typed(),
      userAgent: `drv/${this.config.version}`,
      root: this.config.root,
      transport,
      explain: error => this.explained(error),
    })
  }

  /** The command as typed after `drv`. */
  private commandName(): string {
    return (this.#delegate ?? this.verb).name ?? this.id?.replaceAll(':', ' ') ?? ''
  }

  /** The words after `drv`. */
  private typed(): string[] {
    return [...(this.id?.split(':') ?? []), ...this.argv]
  }

  /** Prints the error and exits with its code. */
  protected override async catch(error: unknown): Promise<never> {
    if (error instanceof Errors.ExitError) throw error
    const known = brokenPipe(error) ?? error
    const cause = isAbort(known) ? interruption(this.#context?.standing()) : known
    if (cause instanceof ClosedPipe) return this.exit(exitCodes.done)
    const debug = isOnByDefault('debug', this.argv, this.#environment)
    const findings = await this.probe(cause)
    const circumstances = {
      tokenScopes: findings?.own,
      isDiagnosed: findings !== undefined,
      embedded: await this.isEmbedded(),
    }
    const explained = this.explained(cause, circumstances)
    const failure = findings ? {...explained, causes: findings.causes} : explained
    const isJson = wantsJson(this.argv, this.#environment)
    const text = isJson ? failureJson(failure, this.#context?.io.unsaid) : failureText(failure)
    const stack = debug && cause instanceof Error ? `\n${cause.stack}` : ''
    createSay(process.stderr, this.#environment)(`${text}${stack}`)
    if (this.#context && !isJson && cause instanceof ServiceError && cause.details.ssoUrl) {
      const {offerSignOn} = await import('./diagnose.js')
      await offerSignOn(cause.details.ssoUrl, this.#context)
    }
    return this.exit(failure.exit)
  }

  /** Explains an error for people and programs. */
  private explained(error: unknown, found: Partial<RequestFacts> = {}): Failure {
    const {args, flags, usesToken = true} = this.#delegate ?? this.verb
    return explain(error, {
      command: this.commandName() || undefined,
      flags: Object.keys({...this.ctor.baseFlags, ...flags}),
      args,
      typed: this.typed(),
      environmentToken: usesToken && Boolean(this.#environment.DRV_TOKEN),
      tokenCommand: usesToken && Boolean(this.#environment.DRV_TOKEN_COMMAND),
      acceptedScopes: this.acceptedScopes(),
      ...found,
    })
  }

  private acceptedScopes(): readonly string[] | undefined {
    const {acceptedScopes} = this.#delegate ?? this.verb
    return typeof acceptedScopes === 'function' ? acceptedScopes(this.#flags) : acceptedScopes
  }

  /** Whether the service runs inside this command; `undefined` if the settings are invalid. */
  private async isEmbedded(): Promise<boolean | undefined> {
    return this.#context?.settings().then(
      ({embedded}) => embedded,
      () => undefined,
    )
  }

  /** Finds the probable cause of a 404 with one cheap request. */
  private async probe(error: unknown) {
    const context = this.#context
    const accepted = this.acceptedScopes()
    if (!(error instanceof ServiceError) || error.status !== 404 || !accepted) return undefined
    if (!context?.options.probe || context.signal.aborted) return undefined
    const {causesOf404, probeToken} = await import('./diagnose.js')
    const findings = await probeToken(error, accepted, context)
    return {...findings, causes: causesOf404(findings)}
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.#context?.close()
    } catch (failure) {
      // Report only the first error.
      if (!error) await this.catch(failure)
    }
  }

  // oclif's own warnings ignore --quiet; commands report deprecations with `context.note`.
  protected override warnIfCommandDeprecated(): void {}
  protected override warnIfFlagDeprecated(): void {}
}

/** Replaces everyday names in `--columns` with fields of the records. */
function withFieldNames(context: Context, known: Columns | undefined): Context {
  const {options} = context
  const {columns} = options
  if (!columns || !known || !mayBeEveryday(columns)) return context
  const names = columnNamesOf(known)
  return {...context, options: {...options, columns: columns.map(name => fieldFor(name, names))}}
}

function columnsOf({columns = []}: AnyVerb, flags: FlagValues, options: GlobalOptions) {
  return typeof columns === 'function' ? columns(flags, options) : columns
}
