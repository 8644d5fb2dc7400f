import {stat} from 'node:fs/promises'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {RecordCommand} from '#lib/cli/input/items/fill-records.js'
import {itemsOf} from '#lib/cli/input/items/item-source.js'
import {readBodyFlag} from '#lib/cli/input/json-input.js'
import {createResolver} from '#lib/cli/input/names/resolver.js'
import {concurrencyOf, limitedTransfer} from '#lib/cli/input/shared-flags.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {openCheckpoint} from './checkpoint.js'
import {runPlan} from './engine.js'
import {checkedGroups, confirmAll, previewCalls, stepsOfItems} from './many-steps.js'
import {printPreview} from './preview.js'
import type {ItemRunner} from './verb-description.js'

interface Command extends RecordCommand {
  readonly several?: string
  readonly context: Context
  /** Runs the command for one item, in a context. */
  readonly runnerFor: (context: Context) => ItemRunner
}

/**
 * Runs a command for each of its items; returns false if the command line names no items. Throws
 * `UsageError` for flags that cannot be combined.
 */
export async function many(command: Command, given: Parsed): Promise<boolean> {
  const {context, runnerFor} = command
  const {body, ...flags} = given.flags
  const concurrency = concurrencyOf(flags.concurrency)
  const source = await itemsOf(
    command,
    // The body is the same for all items.
    {...given, flags, document: await readBodyFlag(body as string | undefined, context)},
  )
  if (!source) {
    if (flags.checkpoint === undefined) return false
    throw new UsageError('--checkpoint requires several items, - or --from.')
  }
  await checkOutput(flags.output)
  if (flags['dry-run']) {
    const runner = runnerFor(context)
    const groups = await checkedGroups(runner, source)
    await printPreview(runner, previewCalls(runner, groups, createResolver(context)), {
      isCurl: Boolean(flags.curl),
    })
    return true
  }
  const checkpoint =
    flags.checkpoint === undefined
      ? undefined
      : await openCheckpoint(String(flags.checkpoint), {
          operation: command.operation.operationId,
          service: (await context.settings()).binding,
        })
  if (checkpoint) context.onEnd(() => checkpoint.close())
  const progress = await createProgress(context, Boolean(flags.progress))
  context.onEnd(progress.end)
  const limit = flags['limit-rate']
  // Needed only for content.
  const world = limit === undefined ? undefined : await limitedTransfer(context, limit)
  const ofOne: Context = {
    ...context,
    ...(world && {transfer: async () => world}),
    progress,
    claims: new Set(),
    // The progress of one item says nothing about the rest.
    onInterrupt: () => undefined,
  }
  const runner: ItemRunner = {...runnerFor(ofOne), context}
  const failFast = Boolean(flags['fail-fast'])
  const groups = await checkedGroups(runner, source)
  const resolver = createResolver(context)
  if (Array.isArray(groups)) await confirmAll(runner, groups, resolver)
  const client = await context.client()
  const steps = stepsOfItems(runner, groups, {client, resolver, checkpoint})
  const total = source.count
  await runPlan({...runner, context}, steps, {total, concurrency, failFast, checkpoint, progress})
  return true
}

/** Throws `UsageError` if several files would be saved to one path. */
async function checkOutput(output: unknown): Promise<void> {
  if (typeof output !== 'string' || output === '') return
  if ((await stat(output).catch(() => undefined))?.isDirectory()) return
  throw new UsageError(
    output === '-'
      ? 'Cannot write several files to standard output.'
      : `Cannot save several files to ${output}: it is not a folder.`,
    'Pass an existing folder to --output.',
  )
}
