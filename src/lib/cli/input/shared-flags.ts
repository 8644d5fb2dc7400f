import {setTimeout as wait} from 'node:timers/promises'
import {Flags} from '@oclif/core'
import {idProblem} from '#lib/api/path-values.js'
import type {Context} from '#lib/cli/context/context.js'
import {isName} from '#lib/cli/input/names/request-names.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import type {CallInput} from '#lib/client/client.js'
import {IF_EXISTS, type IfExists} from '#lib/transfer/resolve-conflict.js'
import type {World} from '#lib/transfer/types.js'
import {refuse, type Values} from './call-input.js'

/** Bytes as people write them: `500`, `1.5K`, `10M`, `2G`, `1T`, of 1024 each. `undefined` for anything else. */
export function bytesIn(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/i.exec(text) ?? []
  if (number === undefined) return undefined
  return Number(number) * 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ')
}

/** Stands for a new random identifier, in what is sent where the command line says nothing. */
export const NEW_ID = Symbol('a new ID')

/** What a new channel is where the command line does not say: a web hook with an ID of its own. */
export const channelDefaults = {body: {id: NEW_ID, type: 'web_hook'}}

const MOST_AT_ONCE = 100

/** The number that `--concurrency` gives. Throws `UsageError`. */
export function concurrencyOf(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const width = Number(text)
  if (/^\d{1,3}$/.test(String(text)) && width >= 1 && width <= MOST_AT_ONCE) return width
  throw new UsageError(
    `--concurrency must be a number from 1 to ${MOST_AT_ONCE}, not "${String(text)}".`,
  )
}

/** The flag that says what becomes of content whose name is taken; `otherwise` is what happens without it. */
export function ifExistsFlag(otherwise: string) {
  return {
    'if-exists': ranked(
      16,
      Flags.string({
        summary: `What to do where a file of that name is there; rename gives "report (1).pdf". ${otherwise}`,
        options: [...IF_EXISTS],
      }),
    ),
  }
}

/** What the flag says, if it was given. */
export function ifExistsOf(flags: Values): IfExists | undefined {
  return flags['if-exists'] as IfExists | undefined
}

/** The same for a tree. Throws `UsageError` where one flag would undo the other. */
export function treeIfExists(flags: Values): IfExists {
  const ifExists = ifExistsOf(flags) ?? 'replace'
  if (ifExists !== 'rename' || !flags.delete) return ifExists
  throw new UsageError(
    '--if-exists rename keeps what only one side has, and --delete takes it away.',
    'Leave out one of them.',
  )
}

/** The flag that leaves some of a line to others. */
export const limitRateFlag = {
  'limit-rate': ranked(
    1007,
    Flags.string({
      summary:
        'Limit the bandwidth of all transfers together, in bytes per second; K, M and G are 1024 each.',
      aliases: ['bwlimit'],
      helpValue: '5M',
    }),
  ),
}

/** Bytes a second. Throws `UsageError` for what is no number of them. */
function rateOf(text: string): number {
  const rate = bytesIn(text)
  if (rate !== undefined && rate >= 1) return rate
  throw new UsageError(
    `--limit-rate takes bytes a second, such as 500K or 5M, not "${text}".`,
    'Without it nothing is held back.',
  )
}

/** What transfers need, with the limit of a command line. Throws `UsageError` before anything is opened. */
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
  // All transfers of a command have one limit together.
  if (world.throttle) return world
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    wait(milliseconds, undefined, {signal}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error
    })
  return {...world, throttle: createThrottle({rate, now: context.now, sleep})}
}

/** The flag that takes shortcuts for what they are. */
export const followFlag = {
  'no-follow': ranked(
    1005,
    Flags.boolean({summary: 'Take a shortcut itself, not the file or folder that it leads to.'}),
  ),
}

/** `--parent`, for operations that make a file: the commonest part of a body that is no single value. */
export const parentFlag = {
  parent: ranked(
    7,
    Flags.string({
      summary: 'Folder to put it into: a path, a link or an ID; / stands for the top of My Drive.',
      helpValue: 'FOLDER',
      helpGroup: 'BODY',
    }),
  ),
}

/**
 * The request with its file put into the folder that `--parent` names. Throws `UsageError` for what
 * cannot be an ID.
 */
export function withParent(input: CallInput, parent: unknown): CallInput {
  if (parent === undefined) return input
  const text = String(parent)
  if (!isName('file', text)) refuse('--parent', idProblem('fileId', text))
  return {...input, body: {...input.body, parents: [{id: parent}]}}
}
