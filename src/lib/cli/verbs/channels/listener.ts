import {openChannelRecord} from '#lib/cli/context/channels.js'
import type {Context} from '#lib/cli/context/context.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {count} from '#lib/cli/terminal/units.js'
import type {NotifiedList, StartListening} from '#lib/cli/verbs/follow/follow.js'
import {thisListener} from '#lib/follow/channels.js'
import type {ChangeList} from '#lib/follow/checkpoint.js'
import type {DeliveryState} from '#lib/follow/delivery.js'
import {changesParams} from '#lib/follow/interpret.js'
import {listen, type Listener} from '#lib/follow/listen.js'
import type {NotificationReceiver} from '#lib/follow/receiver.js'
import {watchedBy} from '#lib/follow/record-channels.js'
import type {OpenedChannel} from '#lib/follow/subscription.js'
import {channelTools} from './channel-tools.js'
import {isExposed, type ListenTarget, listenTargetOf, openReceiverAt} from './listen-flags.js'

/** Connects `lib/follow` with the context of a command. */

/** The start of `--listen` for a follower; `undefined` without the flag. Throws `UsageError`. */
export function listeningOf(flags: FlagValues, context: Context): StartListening | undefined {
  const target = listenTargetOf(flags)
  if (!target) return undefined
  if (flags.once === true) {
    throw new UsageError('--listen cannot be combined with --once.', 'Remove one of them.')
  }
  return lists => startListeners(context, target, lists)
}

/**
 * Receives notifications for a follower until the command ends, with notices when polling takes over. Throws
 * `CommandError` if the address is not available.
 */
async function startListeners(
  context: Context,
  target: ListenTarget,
  lists: readonly NotifiedList[],
): Promise<ReadonlyMap<ChangeList, Listener>> {
  const {note} = context
  const tools = channelTools(context)
  const {receiver, address} = await openReceiverAt(target)
  const listeners = new Map<ChangeList, Listener>()
  context.onEnd(async () => {
    await Promise.all([...listeners.values()].map(({close}) => close()))
    await receiver.close()
    noteRefused(context, receiver)
  })
  noteExposure(context, target)
  let last = ''
  /** Several lists usually change their state together. */
  const noteState = (text: string, hint?: string) => {
    if (text === last) return
    last = text
    note(text)
    if (hint !== undefined) note(hint)
  }
  for (const {list, wake} of lists) {
    const params = changesParams(list)
    const onOpen = await channelMarker(context, watchedBy({params}))
    const listener = listen({
      ...{...tools, params, wake, receiver, address, onOpen},
      onState(state, error) {
        const hint = state === 'refused' ? REFUSAL_HINT : undefined
        noteState(stateText(state, address, error), hint)
      },
    })
    listeners.set(list, listener)
  }
  return listeners
}

/** Warns that others can reach the receiver. */
export function noteExposure({note}: Pick<Context, 'note'>, target: ListenTarget): void {
  if (!isExposed(target)) return
  note(
    `drv listens on ${target.host}, so other machines can connect to it. drv refuses requests without the token of its channel, but the connection is not encrypted.`,
  )
}

/** Reports how many other requests the receiver has refused. */
export function noteRefused(
  {note}: Pick<Context, 'note'>,
  {refused}: Pick<NotificationReceiver, 'refused'>,
): void {
  const requests = refused()
  if (requests === 0) return
  note(`Refused ${count(requests, 'request')} without the ID and token of an open channel.`)
}

/** Returns a function that marks a channel in the record of this machine as received by this process. */
export async function channelMarker(
  context: Context,
  watches: string,
): Promise<(channel: OpenedChannel) => Promise<void>> {
  const [record, {profile, binding}] = await Promise.all([
    openChannelRecord(context),
    context.settings(),
  ])
  const mark = {watches, profile, service: binding, listener: thisListener()}
  // The client has recorded it, or reported that it could not.
  return channel => record.add({...channel, ...mark}).catch(() => undefined)
}

export const REFUSAL_HINT =
  'Pass --public-url with an HTTPS URL that forwards to the address of --listen.'

/** The message for a service that refuses to send notifications to an address. */
export function refusalText(address: string, error: unknown): string {
  return `Cannot receive notifications at ${address}: ${errorSentence(error)}`
}

/** The notice for a new state of notifications. */
export function stateText(state: DeliveryState, address: string, error?: unknown): string {
  const instead = 'Polling for changes instead.'
  switch (state) {
    case 'silent':
      return `No notifications arrive at ${address}. ${instead}`
    case 'lost':
      return `Cannot open a notification channel: ${errorSentence(error)} ${instead}`
    case 'refused':
      return `${refusalText(address, error)} ${instead}`
    case 'unconfirmed':
    case 'working':
      return 'Notifications arrive again.'
  }
}
