import {stopSignal} from '#lib/cli/context/stop-signal.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {expandGlobs} from '#lib/cli/input/names/globs.js'
import {resolveNames} from '#lib/cli/input/names/request-names.js'
import {createResolver} from '#lib/cli/input/names/resolver.js'
import {beginOperation, itemRunner} from '#lib/cli/run/operation-run.js'
import type {OperationVerb, RunInputs} from '#lib/cli/run/verb-description.js'
import {CommandError, exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {createRowStream} from '#lib/cli/verbs/follow/row-stream.js'
import type {CallInput} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import type {ChannelNotification} from '#lib/follow/receiver.js'
import {watchedBy} from '#lib/follow/record-channels.js'
import {subscribe, type Subscription} from '#lib/follow/subscription.js'
import {channelTools} from './channel-tools.js'
import {type ListenTarget, openReceiverAt} from './listen-flags.js'
import {channelMarker, noteExposure, noteRefused, REFUSAL_HINT, refusalText} from './listener.js'
import {NOTIFICATION_COLUMNS, notificationRow} from './notification-rows.js'

/** Flags for the target of notifications, or for several items. */
const EXCLUDED = [
  ...['address', 'id', 'type', 'channel-token', 'expiration', 'params', 'body'],
  ...['resource-id', 'resource-uri', 'from', 'checkpoint', 'fields'],
]

/**
 * Opens channels and prints their notifications until a signal arrives; then stops the channels. Throws
 * the error of a channel that the service refuses.
 */
export async function printNotifications(
  described: OperationVerb,
  given: Parsed,
  target: ListenTarget,
  surroundings: RunInputs,
): Promise<void> {
  const {context, printer} = surroundings
  const other = EXCLUDED.find(name => given.flags[name] !== undefined)
  if (other !== undefined) {
    throw new UsageError(`--listen cannot be combined with --${other}.`, 'Remove one of them.')
  }
  await beginOperation(described, given, context)
  const stopping = stopSignal(context)
  const {receiver, address} = await openReceiverAt(target)
  context.onEnd(receiver.close)
  noteExposure(context, target)
  const watches = await requestsOf(described, given, surroundings, address)
  if (context.options.dryRun) {
    const {printPreview} = await import('#lib/cli/run/preview.js')
    const steps = watches.map(({file, input}) => ({
      original: file ?? described.operation.operationId,
      call: {id: described.operation.operationId, input},
    }))
    await printPreview(itemRunner(described, given, surroundings), steps, {isCurl: false})
    return
  }

  const rows = createRowStream(printer, NOTIFICATION_COLUMNS)
  const {now, note} = context
  const tools = channelTools(context)
  let fail: (error: unknown) => void
  const failing = new Promise<never>((_, reject) => (fail = reject))
  const subscriptions: Subscription[] = []
  context.onEnd(async () => {
    await Promise.all(subscriptions.map(({close}) => close()))
    noteRefused(context, receiver)
  })
  for (const {file, input} of watches) {
    const subscription = subscribe({
      ...{...tools, receiver, address, input},
      id: described.operation.operationId as 'changes.watch' | 'files.watch',
      onOpen: await channelMarker(context, watchedBy(input)),
      onNotification(notification: ChannelNotification) {
        if (notification.state === 'sync') return
        rows.print(notificationRow(notification, {time: now(), file})).catch(fail)
      },
      onFailure(error, isLost) {
        if (isLost) fail(failureOf(error, address))
        else note(`Cannot renew the notification channel: ${errorSentence(error)} Trying again.`)
        return !isLost
      },
    })
    subscriptions.push(subscription)
    // A refused channel ends the command before the next one is opened.
    await Promise.race([failing, stopping, subscription.first])
  }
  note(`Waiting for notifications at ${address}. Press Ctrl-C to stop.`)
  const name = await Promise.race([stopping, failing])
  await rows.end()
  if (name === 'SIGINT') exitWith(exitCodes.interrupted)
}

/** The error for a channel that cannot be opened; for a refused address, with a hint. */
function failureOf(error: unknown, address: string): unknown {
  const isOfAddress = error instanceof ServiceError && /^push\./.test(error.reason)
  if (!isOfAddress) return error
  return new CommandError('failed', refusalText(address, error), REFUSAL_HINT)
}

interface Watch {
  /** As named on the command line; `undefined` for changes of the account. */
  readonly file?: string
  readonly input: CallInput
}

/** The requests, with names replaced by IDs. */
async function requestsOf(
  described: OperationVerb,
  {args, flags: {listen: _, 'public-url': __, ...flags}}: Parsed,
  surroundings: RunInputs,
  address: string,
): Promise<Watch[]> {
  const {context} = surroundings
  const {several} = described
  const runner = itemRunner(described, {args, flags}, surroundings)
  const resolver = createResolver(context)
  const words =
    several === undefined
      ? [undefined]
      : await expandGlobs(context, [args[several]].flat().map(String))
  const watches: Watch[] = []
  for (const file of words) {
    const ofOne = several === undefined ? args : {...args, [several]: file}
    const checked = await runner.check({args: ofOne, flags: {...flags, address}})
    const input = await resolveNames(checked, resolver)
    // All fields: the channel is not printed.
    const {fields: _fields, ...params} = input.params
    watches.push({...(file !== undefined && {file}), input: {...input, params}})
  }
  return watches
}
