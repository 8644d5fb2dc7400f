import {Command, Errors, type Interfaces} from '@oclif/core'
import {type Context, type Counterpart, createContext} from '#lib/cli/context/context.js'
import {
  type Circumstances,
  explain,
  type Failure,
  failureJson,
  failureText,
  isAbort,
} from '#lib/cli/explain/explain.js'
import {interruption} from '#lib/cli/explain/interruption.js'
import {mistakenQuiet} from '#lib/cli/explain/parse-errors.js'
import type {Effect} from '#lib/cli/guard/destroys.js'
import {plainArgv} from '#lib/cli/input/argv.js'
import {type Given, type Inputs, missingInputs, type Need} from '#lib/cli/input/missing-inputs.js'
import {formats} from '#lib/cli/output/formats.js'
import {
  type GlobalOptions,
  globalOptions,
  isOnAnyway,
  wantsJson,
} from '#lib/cli/output/global-options.js'
import {ClosedPipe, TimedOut} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {brokenPipe, processIo} from '#lib/cli/terminal/io.js'
import {createSay, takeEnvironment} from '#lib/cli/terminal/say.js'
import {ServiceError} from '#lib/client/errors.js'
import {baseFlags} from './base-flags.js'
import {type Columns, namesOf, settleColumns} from './columns.js'
import {createPrinter, type Printer, type PrinterOptions} from './printer.js'

/**
 * What every command is made of: its base classes, the context it works with, exit codes, questions
 * and notices. What only some commands need has a room of its own beside this one.
 */

// oclif has types of these names, but does not export them.
type FlagOutput = Interfaces.OutputFlags<Interfaces.FlagInput>
type ArgOutput = Interfaces.OutputArgs<Interfaces.ArgInput>

/** How a command line is read. */
interface Reading<P> {
  readonly words: string[]
  readonly inputs: Inputs
  readonly read: (words: string[], inputs?: Inputs) => Promise<P>
}

/** Milliseconds that an interrupted command has to end what it began. */
const LONGEST_END = 3000

/**
 * The ground of every command. A command declares its flags and implements `execute`, which
 * begins with `await this.parse(TheClass)`; after that `this.context` is there.
 *
 * oclif's own `--json` is not used: it turns every exit code into 1 and prints argv and the whole
 * configuration when parsing fails.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = false

  static override baseFlags: Interfaces.FlagInput = baseFlags

  /** What it does to files, access and settings; oclif copies it into the manifest. */
  static effect: Effect

  // Before anything can go wrong: from here on the process itself holds no secrets.
  readonly #environment = this.environment()
  readonly #controller = new AbortController()
  #context: Context | undefined
  #printer: Printer | undefined
  #timer: NodeJS.Timeout | undefined

  /** Works with the token in force, and so with that of DRV_TOKEN; a sign-in brings one of its own. */
  protected readonly usesToken: boolean = true

  /**
   * The columns of the records that it prints with these flags; `undefined` where the command settles
   * them itself before it does anything.
   */
  protected columns(_flags: FlagOutput): Columns | undefined {
    return []
  }

  /** Their names as without any flag, for the list of all commands. */
  columnNames(): readonly string[] {
    return namesOf(this.columns({}) ?? [])
  }

  /** Prints its results; there once `parse` has run. */
  protected get printer(): Printer {
    if (!this.#printer) throw new Error('The command prints before it reads its flags.')
    return this.#printer
  }

  /** How this command's results differ from those of others. */
  protected printerOptions(): Omit<PrinterOptions, 'jq'> {
    return {}
  }

  /** What the command works with; there once `parse` has run. */
  protected get context(): Context {
    if (!this.#context) throw new Error('The command reads its context before its flags.')
    return this.#context
  }

  /** The work itself. */
  protected abstract execute(): Promise<void>

  /** Runs `execute` until it is done, a signal comes or `--timeout` runs out. */
  override async run(): Promise<void> {
    const {signal} = this.#controller
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), {once: true})
    })
    const onSignal = (name: NodeJS.Signals) => {
      const handle = this.#context?.signalHandler()
      if (handle) handle(name)
      else this.onSignal()
    }
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
    // oclif throws what goes wrong with standard output where nobody can catch it; `write` tells it.
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

  /** What SIGINT and SIGTERM do; the second one ends the process at once. */
  private onSignal(): void {
    if (this.#controller.signal.aborted) process.exit(exitCodes.interrupted)
    // What does not end by itself is not waited for.
    setTimeout(() => process.exit(exitCodes.interrupted), LONGEST_END).unref()
    this.stop(interruption(this.#context?.standing()))
  }

  /** Ends the command with `reason`. */
  protected stop(reason: Error): void {
    this.#controller.abort(reason)
  }

  protected override async parse<F extends FlagOutput, B extends FlagOutput, A extends ArgOutput>(
    options?: Interfaces.Input<F, B, A>,
    argv = this.argv,
  ) {
    const {args, flags, baseFlags, strict} = options ?? (this.ctor as Interfaces.Input<F, B, A>)
    // Named one by one: oclif spreads the class, which leaves out the statics of its parents.
    const input = {args, flags, baseFlags, strict} as Interfaces.Input<F, B, A>
    const known = {...baseFlags, ...flags}
    const words = plainArgv(argv, known)
    const read = (words: string[], inputs?: Inputs) =>
      super.parse<F, B, A>({...input, ...(inputs as typeof input)}, words)
    const reading = read(words).catch((error: unknown) => {
      throw mistakenQuiet(error, argv, Object.keys(known)) ?? error
    })
    const parsed = await (this.mayAsk(argv)
      ? this.completed(reading, {words, inputs: {args: args ?? {}, flags: flags ?? {}}, read})
      : reading)
    const global = globalOptions(parsed.flags, this.#environment)
    const context = this.contextFor(global)
    // The variable says the same as the flag.
    if (global.dryRun) (parsed.flags as Record<string, unknown>)['dry-run'] = true
    const columns = this.columns(parsed.flags)
    this.#printer = createPrinter(context, this.printerOptions())
    if (columns) await settleColumns(context, this.#printer, columns)
    if (global.jq !== undefined) {
      const {compileJq, jqFormat} = await import('#lib/cli/output/jq.js')
      const jq = jqFormat(await compileJq(global.jq), formats[this.#printer.format])
      this.#printer = createPrinter(context, {...this.printerOptions(), jq})
    }
    if (global.timeout !== undefined) {
      const seconds = global.timeout
      const end = () => this.stop(new TimedOut(seconds, context.waits.longest()))
      this.#timer = setTimeout(end, seconds * 1000)
    }
    return parsed
  }

  /**
   * The command line as it was read; with what it lacks once a person has been asked for that. What
   * else is wrong with it is told as ever.
   */
  private async completed<P extends Given>(reading: Promise<P>, {words, inputs, read}: Reading<P>) {
    const parsed = await reading.catch((error: unknown) => ({error}))
    if (!('error' in parsed) && this.lacks(parsed).length === 0) return parsed
    const {optional, optionalArgs} = await import('#lib/cli/input/items/several.js')
    const asFar = {args: optionalArgs(inputs.args), flags: optional(inputs.flags)}
    const given = await read(words, asFar).catch(() => undefined)
    const needs = given ? [...this.missing(inputs, given), ...this.lacks(given)] : []
    if (!given || needs.length === 0) return reading
    const context = this.contextFor(globalOptions(given.flags, this.#environment))
    await this.beforeAsking(context)
    const {askForMissing} = await import('#lib/cli/input/ask-missing.js')
    return read(await askForMissing(context, words, given, needs, this.commandName() ?? ''))
  }

  /** The arguments and flags that have to be there and are not. */
  protected missing(inputs: Inputs, given: Given): readonly Need[] {
    return missingInputs(inputs, given)
  }

  /** What the command line lacks besides them. */
  protected lacks(_given: Given): readonly Need[] {
    return []
  }

  /** Refuses what is not to be asked for at all. */
  protected async beforeAsking(_context: Context): Promise<void> {}

  /** Whether somebody is there who can be asked for what is missing; standard input then has no lines. */
  private mayAsk(argv: readonly string[]): boolean {
    const noInput = isOnAnyway('no-input', argv, this.#environment)
    const {interactive, isDumb} = processIo(
      {noInput, quiet: false, noColor: true},
      this.#environment,
    )
    return interactive && !isDumb && !argv.includes('-')
  }

  private contextFor(global: GlobalOptions): Context {
    this.#context ??= this.createContext(global, this.#controller.signal)
    return this.#context
  }

  /** Builds the context; tests put their own in its place. */
  protected createContext(options: GlobalOptions, signal: AbortSignal): Context {
    return createContext({
      options,
      environment: this.#environment,
      signal,
      stop: reason => this.stop(reason),
      command: this.commandName() ?? '',
      userAgent: `drv/${this.config.version}`,
      explain: error => this.explained(error),
      counterpart: this.counterpart(),
    })
  }

  /** What one types behind `drv` to run it. */
  protected commandName(): string | undefined {
    return this.id?.replaceAll(':', ' ')
  }

  /** The environment with its secrets, which are in nobody else's from then on. */
  protected environment(): NodeJS.ProcessEnv {
    return takeEnvironment(process.env)
  }

  /** What it talks to, where that is not the profile's service by the built-in description. */
  protected counterpart(): Counterpart | undefined {
    return undefined
  }

  /** Says the error once, in one form, and ends with its exit code. */
  protected override async catch(error: unknown): Promise<never> {
    if (error instanceof Errors.ExitError) throw error
    const known = brokenPipe(error) ?? error
    const cause = isAbort(known) ? interruption(this.#context?.standing()) : known
    if (cause instanceof ClosedPipe) return this.exit(exitCodes.done)
    const debug = isOnAnyway('debug', this.argv, this.#environment)
    const findings = await this.probe(cause)
    const circumstances = {tokenScopes: findings?.own, embedded: await this.isEmbedded()}
    const explained = this.explained(cause, circumstances)
    const failure = findings ? {...explained, causes: findings.causes} : explained
    const isJson = wantsJson(this.argv, this.#environment)
    const text = isJson ? failureJson(failure) : failureText(failure)
    const stack = debug && cause instanceof Error ? `\n${cause.stack}` : ''
    createSay(process.stderr, this.#environment)(`${text}${stack}`)
    if (this.#context && !isJson && cause instanceof ServiceError && cause.details.ssoUrl) {
      const {offerSignOn} = await import('./diagnose.js')
      await offerSignOn(cause.details.ssoUrl, this.#context)
    }
    return this.exit(failure.exit)
  }

  /** The error as it is told. */
  protected explained(error: unknown, found: Partial<Circumstances> = {}): Failure {
    return explain(error, {
      command: this.commandName(),
      flags: Object.keys({...this.ctor.baseFlags, ...this.ctor.flags}),
      environmentToken: this.usesToken && Boolean(this.#environment.DRV_TOKEN),
      acceptedScopes: this.acceptedScopes(),
      ...found,
    })
  }

  /** Has the command work with another context from now on. */
  protected adopt(context: Context): void {
    this.#context = context
  }

  /** Scopes of which the command's operation takes any one. */
  protected acceptedScopes(): readonly string[] | undefined {
    return undefined
  }

  /** Whether the service is inside this command; not known where the settings are at fault. */
  private async isEmbedded(): Promise<boolean | undefined> {
    return this.#context?.settings().then(
      ({embedded}) => embedded,
      () => undefined,
    )
  }

  /** Finds out with one cheap request what probably led to a 404. */
  private async probe(error: unknown) {
    const context = this.#context
    const accepted = this.acceptedScopes()
    if (!(error instanceof ServiceError) || error.status !== 404 || !accepted) return undefined
    if (!context?.options.probe || context.signal.aborted) return undefined
    const {causesOf404, probe} = await import('./diagnose.js')
    const findings = await probe(error, accepted, context, context.userAgent)
    return {...findings, causes: causesOf404(findings)}
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.#context?.close()
    } catch (failure) {
      // One error is told, the first.
      if (!error) await this.catch(failure)
    }
  }

  // oclif's own warnings ignore --quiet: commands say what is deprecated with `context.note`.
  protected override warnIfCommandDeprecated(): void {}
  protected override warnIfFlagDeprecated(): void {}
}
