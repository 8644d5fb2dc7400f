import {createWriteStream} from 'node:fs'
import {mkdtemp} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {pipeline} from 'node:stream/promises'
import type {Context} from '#lib/cli/context/context.js'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'

/** Stores the content that a plan uploads and that is in no local file, in a folder next to the plan. */

/** Creates the folder for content of a plan, which only the owner can read. Throws `UsageError`. */
export async function createContentFolder({options}: Pick<Context, 'options'>): Promise<string> {
  const {plan = '-'} = options
  if (plan === '-') {
    throw new UsageError(
      'Cannot write this plan to standard output: its content needs a folder next to the plan.',
      'Pass --plan FILE.',
    )
  }
  const start = `${resolve(plan)}.content-`
  return mkdtemp(start).catch((error: unknown) => {
    throw unwritable(start, error)
  })
}

/** Saves standard input to a file of the plan and returns its path. Throws `UsageError`. */
export async function saveInput(context: Context): Promise<string> {
  const path = join(await createContentFolder(context), 'standard-input')
  const wait = waitForInput(context)
  try {
    await pipeline(context.io.stdin, createWriteStream(path, {mode: 0o600}), {
      signal: context.signal,
    })
    return path
  } catch (error) {
    context.signal.throwIfAborted()
    throw unwritable(path, error)
  } finally {
    wait?.end()
  }
}
