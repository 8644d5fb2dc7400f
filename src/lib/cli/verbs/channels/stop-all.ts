import {openChannelRecord} from '#lib/cli/context/channels.js'
import {concurrencyOf} from '#lib/cli/input/shared-flags.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {beginOperation, itemRunner} from '#lib/cli/run/operation-run.js'
import type {Step} from '#lib/cli/run/plan.js'
import {printPreview} from '#lib/cli/run/preview.js'
import type {OperationVerb, ParsedLine, RunInputs} from '#lib/cli/run/verb-description.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {count} from '#lib/cli/terminal/units.js'
import {type ChannelEntry, channelState} from '#lib/follow/channels.js'
import {isUnknownChannel} from '#lib/follow/record-channels.js'

/** The flags that select a single channel, or other ones. */
const OTHER_SELECTIONS = ['id', 'resource-id', 'body', 'from', 'checkpoint']

/** Stops the channels of the current profile and service that this machine has opened. */
export async function stopAllChannels(
  described: OperationVerb,
  {args, flags}: Pick<ParsedLine, 'args' | 'flags'>,
  surroundings: RunInputs,
): Promise<void> {
  const {context} = surroundings
  const other = OTHER_SELECTIONS.find(name => flags[name] !== undefined)
  if (other !== undefined) {
    throw new UsageError(`--all cannot be combined with --${other}.`, 'Remove one of them.')
  }
  await beginOperation(described, {args, flags}, context)
  const [record, {profile, binding}] = await Promise.all([
    openChannelRecord(context),
    context.settings(),
  ])
  const all = record.list()
  const isOwn = (entry: ChannelEntry) => entry.profile === profile && entry.service === binding
  const own = all.filter(isOwn)
  const isExpired = (entry: ChannelEntry) => channelState(entry, context.now()) === 'expired'
  const steps = own.filter(entry => !isExpired(entry)).map(stopStep)
  const runner = itemRunner(described, {args, flags}, surroundings)
  if (flags['dry-run']) {
    await printPreview(runner, steps, {isCurl: Boolean(flags.curl)})
  } else {
    // The service has closed these itself.
    for (const entry of own.filter(isExpired)) await record.remove(entry)
    if (steps.length > 0) {
      await runPlan(runner, steps, {
        total: steps.length,
        concurrency: concurrencyOf(flags.concurrency),
        failFast: Boolean(flags['fail-fast']),
        goOn: 'Run the command again to stop the rest.',
        doneText: done => `Stopped ${count(done, 'channel')}`,
      })
    }
  }
  if (steps.length === 0) context.note('No open channels.')
  const others = all.filter(entry => !isOwn(entry) && !isExpired(entry))
  if (others.length > 0) {
    const names = [...new Set(others.map(entry => entry.profile))].join(', ')
    context.note(
      `Not stopped: ${count(others.length, 'channel')} of other profiles or services (${names}). To stop channels of another profile, pass --profile.`,
    )
  }
}

function stopStep({id, resourceId}: ChannelEntry): Step {
  return {
    original: id,
    call: {id: 'channels.stop', input: {params: {}, body: {id, resourceId}}},
    change: () => ({action: 'stop channel', thing: id}),
    // Another process has stopped it.
    recover: async error => (isUnknownChannel(error) ? {record: undefined} : {error}),
  }
}
