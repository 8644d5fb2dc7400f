import type {Context} from '#lib/cli/context/context.js'
import {stopSignal} from '#lib/cli/context/stop-signal.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError, exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {count, timeText} from '#lib/cli/terminal/units.js'
import {type ChangeList, listsOf} from '#lib/follow/checkpoint.js'
import {CheckpointError} from '#lib/follow/checkpoint-file.js'
import {followChanges} from '#lib/follow/follow.js'
import type {ChangeReceiver, ListPolling} from '#lib/follow/follow-options.js'
import type {FollowedChange} from '#lib/follow/interpret.js'
import {createKnownStates} from '#lib/follow/known-states.js'
import type {Listener} from '#lib/follow/listen.js'
import {createWake} from '#lib/follow/wake.js'
import {trimMemory} from '#lib/platform/trim-memory.js'
import {createExecutor, FailedCommand} from './executor.js'
import {type ExecOptions, execOptionsOf, kindsIn, startOf} from './flags.js'
import {openOrBeginCheckpoint} from './open-checkpoint.js'
import {createRowPrinter} from './rows.js'
import {commandGroups, runCommand} from './run-command.js'
import {newSignIns} from './sign-in.js'

/** Runs `drv follow`. */

interface Stoppable extends ChangeReceiver {
  stop(): Promise<void>
}

/** Numbers of requests without changes after which memory is returned; the second time gets the rest. */
const TRIMMED_AFTER = [3, 6]

/** A list of changes to be notified of. */
export interface NotifiedList extends Pick<ListPolling, 'wake'> {
  readonly list: ChangeList
}

/** The notices of `--once` without a start: nothing is pending. */
const FIRST_RUN =
  'Recorded the current state. Run the same command again to see the changes since then.'
const NOTHING_PENDING =
  'No changes: without --since, --resume or --checkpoint, drv reports only changes made after it starts.'

/** Starts to receive notifications, which end the waits between two requests; until the command ends. */
export type StartListening = (
  lists: readonly NotifiedList[],
) => Promise<ReadonlyMap<ChangeList, Listener>>

/**
 * Follows until a signal arrives or, with `--once`, nothing is pending. Throws the errors of requests; a command that
 * failed after all retries ends drv with its status.
 */
export async function follow(
  {args, flags}: {readonly args: FlagValues; readonly flags: FlagValues},
  context: Context,
  printer: Printer,
  startListening?: StartListening,
): Promise<void> {
  const {note, now} = context
  const words = [args.path ?? []].flat().map(String)
  const kinds = kindsIn(flags.kind)
  const start = startOf(flags.since, now())
  const exec = execOptionsOf(flags)
  const isOnce = flags.once === true
  if (exec && context.options.dryRun) {
    throw new UsageError(
      '--exec and --dry-run cannot be combined: --exec runs a command for each change.',
      'Remove --exec to see the changes.',
    )
  }
  const file = typeof flags.checkpoint === 'string' ? flags.checkpoint : undefined
  const isResumed = flags.resume === true
  const known = createKnownStates()
  context.onEnd(known.close)
  const stopping = stopSignal(context).then(name => ({name}))

  const opening = openOrBeginCheckpoint(context, {place: {file, isResumed}, words, start, known})
  const opened = await Promise.race([opening, stopping])
  if ('name' in opened) return stopped(opened.name, false)
  const {checkpoint, isNew} = opened
  const {roots, from} = checkpoint.beginning!
  const what = roots.length > 0 ? ` in ${roots.map(({path}) => path).join(', ')}` : ''
  const isKept = file !== undefined || isResumed
  if (!isOnce) note(`Following changes${what}. Press Ctrl-C to stop.`)
  else if (isNew && !start) note(isKept ? FIRST_RUN : NOTHING_PENDING)

  const executor = exec && openExecutor(exec, context)
  const receiver: Stoppable = executor ?? createRowPrinter(printer)
  const lists = listsOf(checkpoint.beginning!).map(list => ({list, wake: createWake()}))
  const listeners = await startListening?.(lists)
  let idlePolls = 0
  const following = followChanges({
    polling(list) {
      const listener = listeners?.get(list)
      return {
        wake: lists.find(one => one.list === list)!.wake,
        ...(listener && {limits: () => listener.limits()}),
        onPolled(hasChanges) {
          listener?.polled(hasChanges)
          idlePolls = hasChanges ? 0 : idlePolls + 1
          if (TRIMMED_AFTER.some(polls => polls * lists.length === idlePolls)) trimMemory()
        },
      }
    },
    client: await context.client(),
    onSignedOut: isOnce ? async () => undefined : newSignIns(context),
    checkpoint,
    known,
    receiver,
    isOnce,
    isIgnored: ignored(kinds, from),
    onExpired: () =>
      note('The page token has expired. Listing all items to find the missed changes.'),
    onOutage: error =>
      note(
        `The service does not respond: ${errorSentence(error)} Waiting until it responds again.`,
      ),
    onRecovery: () => note('The service responds again.'),
    sleep: context.sleep,
    signal: context.signal,
  })
  const ended = await ending(Promise.race([following, stopping]), receiver)
  // A request may still be waiting for its response.
  if (ended) return stopped(ended.name, isKept)
  const failed = executor?.failed ?? 0
  if (failed > 0) throw new CommandError('partial', `${count(failed, 'command')} failed.`)

  function stopped(name: NodeJS.Signals, isRecorded: boolean): never {
    note(isRecorded ? 'Stopped. Run the same command again to continue.' : 'Stopped.')
    exitWith(name === 'SIGINT' ? exitCodes.interrupted : exitCodes.done)
  }

  async function ending<T>(work: Promise<T>, {stop}: Stoppable): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof CheckpointError)
        throw new CommandError('failed', error.message, error.hint)
      if (!(error instanceof FailedCommand)) throw error
      const attempts = exec!.retries + 1
      const after = attempts > 1 ? ` (after ${count(attempts, 'attempt')})` : ''
      context.io.say(`Error: ${error.message}${after}.`)
      return exitWith(error.status)
    } finally {
      await stop()
      // The last delivered changes must still be recorded.
      await new Promise(resolve => setImmediate(resolve))
    }
  }
}

/** Changes that are not handed over: of other kinds, and from before the start. */
function ignored(kinds: ReturnType<typeof kindsIn>, from = -Infinity) {
  return ({kinds: found, time}: FollowedChange): boolean => {
    if (kinds && !found.some(kind => kinds.has(kind))) return true
    return Date.parse(time) < from
  }
}

function openExecutor(exec: ExecOptions, context: Context) {
  const {note, io, environment, sleep} = context
  return createExecutor({
    ...exec,
    async run(changes) {
      for (const some of commandGroups(changes)) {
        const status = await runCommand(exec.command, some, environment)
        if (status !== 0) return status
      }
      return 0
    },
    sleep,
    onRetry: (text, delay) => note(`${text}. Running it again in ${timeText(delay)}.`),
    onFailure: text => io.say(`Failed: ${text}.`),
  })
}
