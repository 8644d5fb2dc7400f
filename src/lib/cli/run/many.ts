import {stat} from 'node:fs/promises'
import {readBodyFlag} from '#lib/cli/input/body-flag.js'
import {concurrencyOf} from '#lib/cli/input/concurrency.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {limitedTransfer} from '#lib/cli/input/limit-rate.js'
import {openCheckpoint} from './checkpoint.js'
import type {Doer} from './item-runner.js'
import type {Fillable} from '#lib/cli/input/fill-records.js'
import {runMany} from './run-many.js'
import {showMany} from './preview.js'
import {itemsOf} from '#lib/cli/input/item-source.js'

interface Command extends Fillable {
  readonly several?: string
  readonly doer: Doer
}

/**
 * Does what a command line asks for with each thing it names; tells whether it names things that way.
 * Throws `UsageError` for what cannot stand together.
 */
export async function many(command: Command, given: Parsed): Promise<boolean> {
  const {doer} = command
  const {context} = doer
  const {body, ...flags} = given.flags
  const concurrency = concurrencyOf(flags.concurrency)
  const source = await itemsOf(
    {...command, context},
    // What all have in common is read once.
    {...given, flags, document: await readBodyFlag(body as string | undefined, context)},
  )
  if (!source) {
    if (flags.checkpoint === undefined) return false
    throw new UsageError('--checkpoint works only with several things, - or --from.')
  }
  await checkOutput(flags.output)
  if (flags['dry-run']) {
    await showMany(doer, source, Boolean(flags.curl))
    return true
  }
  const checkpoint =
    flags.checkpoint === undefined
      ? undefined
      : await openCheckpoint(String(flags.checkpoint), {
          operation: doer.operation.operationId,
          service: (await context.settings()).binding,
        })
  if (checkpoint) context.onEnd(() => checkpoint.close())
  const progress = await createProgress(context, Boolean(flags.progress))
  context.onEnd(progress.end)
  const limit = flags['limit-rate']
  // Whoever sends no content needs none of it.
  const world = limit === undefined ? undefined : await limitedTransfer(context, limit)
  doer.adopt({
    ...context,
    ...(world && {transfer: async () => world}),
    progress,
    claims: new Set(),
    // How far one of them is says nothing of all.
    onInterrupt: () => undefined,
  })
  const failFast = Boolean(flags['fail-fast'])
  await runMany(doer, source, {concurrency, failFast, checkpoint, progress})
  return true
}

/** Throws `UsageError` where many files would go to one place. */
async function checkOutput(output: unknown): Promise<void> {
  if (typeof output !== 'string' || output === '') return
  if ((await stat(output).catch(() => undefined))?.isDirectory()) return
  throw new UsageError(
    output === '-'
      ? 'Several files cannot go to standard output.'
      : `Several files go into a directory, and there is none ${output}.`,
    'Name one that is there: --output DIR.',
  )
}
