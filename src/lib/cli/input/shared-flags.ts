import {setTimeout as wait} from 'node:timers/promises'
import {Flags, type Interfaces} from '@oclif/core'
import {idProblem} from '#lib/api/path-values.js'
import type {Context} from '#lib/cli/context/context.js'
import {isName} from '#lib/cli/input/names/request-names.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import type {CallInput} from '#lib/client/client.js'
import {parseBytes} from '#lib/platform/values.js'
import {IF_EXISTS, type IfExists} from '#lib/transfer/resolve-conflict.js'
import type {World} from '#lib/transfer/types.js'
import {type FlagValues, throwProblem} from './call-input.js'

/** Placeholder for a new UUID in default values. */
export const NEW_ID = Symbol('a new ID')

/** Defaults for a new channel: a new UUID as ID, and the type `web_hook`. */
export const channelDefaults = {body: {id: NEW_ID, type: 'web_hook'}}

/** The flags, with the help of a required one saying that another flag takes its place. */
export function requiredWithout(
  other: string,
  name: string,
  flags: Interfaces.FlagInput,
): Interfaces.FlagInput {
  const summary = flags[name]?.summary?.replace('(required)', `(required without --${other})`)
  return {...flags, [name]: {...flags[name]!, summary}}
}

const MAX_CONCURRENCY = 100

/** The value of `--concurrency`; `undefined` if it is not set. Throws `UsageError`. */
export function concurrencyOf(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (/^\d{1,3}$/.test(String(text)) && count >= 1 && count <= MAX_CONCURRENCY) return count
  throw new UsageError(
    `Invalid --concurrency: must be an integer from 1 to ${MAX_CONCURRENCY}, not "${String(text)}".`,
  )
}

/** The `--if-exists` flag; `byDefault` says what happens without it. */
export function ifExistsFlag(byDefault: string) {
  return {
    'if-exists': ranked(
      16,
      Flags.string({
        summary: `How to resolve a conflict with an existing file of the same name; rename creates "report (1).pdf". ${byDefault}`,
        options: [...IF_EXISTS],
      }),
    ),
  }
}

/** The value of `--if-exists`; `undefined` if it is not set. */
export function ifExistsOf(flags: FlagValues): IfExists | undefined {
  return flags['if-exists'] as IfExists | undefined
}

/** The value of `--if-exists` for a tree (default: replace). Throws `UsageError` for `rename` together with `--delete`. */
export function treeIfExists(flags: FlagValues): IfExists {
  const ifExists = ifExistsOf(flags) ?? 'replace'
  if (ifExists !== 'rename' || !flags.delete) return ifExists
  throw new UsageError(
    '--if-exists rename and --delete cannot be combined: rename keeps the files that --delete removes.',
    'Remove one of the two flags.',
  )
}

export const limitRateFlag = {
  'limit-rate': ranked(
    1007,
    Flags.string({
      summary:
        'Limit total bandwidth to RATE bytes per second, such as 5M; K, M and G are powers of 1024 (default: unlimited).',
      aliases: ['bwlimit'],
      helpValue: 'RATE',
    }),
  ),
}

/** Bytes per second. Throws `UsageError` for an invalid rate. */
function rateOf(text: string): number {
  const rate = parseBytes(text)
  if (rate !== undefined && rate >= 1) return rate
  throw new UsageError(
    `Invalid --limit-rate: must be bytes per second such as 500K or 5M, not "${text}".`,
  )
}

/** The context for transfers, throttled to `--limit-rate`. Throws `UsageError` for an invalid rate. */
export async function limitedTransfer(
  context: Pick<Context, 'transfer' | 'now'>,
  limit: unknown,
): Promise<World> {
  if (limit === undefined) return context.transfer()
  const rate = rateOf(String(limit))
  const [world, {createThrottle}] = await Promise.all([
    context.transfer(),
    import('#lib/transfer/throttle.js'),
  ])
  // All transfers of a command share one limit.
  if (world.throttle) return world
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    wait(milliseconds, undefined, {signal}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error
    })
  return {...world, throttle: createThrottle({rate, now: context.now, sleep})}
}

/** `--no-follow`; `summary` says what the command does with shortcuts. */
export const noFollowFlag = (summary = 'Operate on shortcuts themselves, not their targets.') => ({
  'no-follow': ranked(1005, Flags.boolean({summary})),
})

/** `--parent`, for operations that create a file; `parents` itself is a list of objects, which has no flag. */
export const parentFlag = {
  parent: ranked(
    7,
    Flags.string({
      summary: 'Parent folder (path, link or ID, or / for the root of My Drive).',
      helpValue: 'FOLDER',
      helpGroup: 'BODY',
    }),
  ),
}

/**
 * The request with the folder of `--parent` as parent. Throws `UsageError` for an invalid ID.
 */
export function withParent(input: CallInput, parent: unknown): CallInput {
  if (parent === undefined) return input
  const text = String(parent)
  if (!isName('file', text)) throwProblem('--parent', idProblem('fileId', text))
  return {...input, body: {...input.body, parents: [{id: parent}]}}
}
