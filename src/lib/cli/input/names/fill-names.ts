import type {Parsed, Values} from '#lib/cli/input/call-input.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput} from '#lib/client/client.js'
import {kindOf} from './file-kinds.js'
import type {Lookups} from './lookups.js'
import {isName, type Word} from './naming-words.js'

/**
 * A command line whose names are put aside: everything else about it is checked before the first
 * of them is looked up.
 */
export interface Masked {
  readonly args: Values
  readonly flags: Values
  /** What was put aside, by what stands in its place. */
  readonly names: ReadonlyMap<string, Word>
}

/** A command line that was checked before any of its names is looked up. */
export interface Checked {
  /** With something else in the place of each name. */
  readonly parsed: Parsed
  readonly names: Masked['names']
  readonly words: readonly Word[]
  /** What is to be sent, with the same in it. */
  readonly input: CallInput
}

/** Puts what looks like an ID in the place of each name among `words`. `newId` gives a new text each time. */
export function maskNames(
  {args, flags}: Pick<Masked, 'args' | 'flags'>,
  words: readonly Word[],
  newId: () => string,
): Masked {
  const names = new Map(words.filter(isName).map(word => [newId(), word]))
  const masked = (from: Word['in'], values: Values) => {
    const masks = [...names].filter(([, word]) => word.in === from)
    return {...values, ...Object.fromEntries(masks.map(([mask, {name}]) => [name, mask]))}
  }
  return {args: masked('args', args), flags: masked('flags', flags), names}
}

/** The request with the IDs that the names stand for. Fails as the lookups do. */
export async function fillIn(
  input: CallInput,
  names: Masked['names'],
  lookups: Lookups,
): Promise<CallInput> {
  const ids = new Map<string, string>()
  const look = async (wanted: (word: Word) => boolean, find: (word: Word) => Promise<string>) => {
    const words = [...names].filter(([, word]) => wanted(word))
    for (const [mask, id] of await Promise.all(
      words.map(async ([mask, word]) => [mask, await find(word)] as const),
    )) {
      ids.set(mask, id)
    }
  }
  const isOfFile = ({kind}: Word) => kind === 'permission' || kind === 'revision'
  await look(
    word => !isOfFile(word),
    ({kind, text}) => lookups[kind as 'file' | 'files' | 'drive'](text),
  )
  const fileId = String(replaced(input.params.fileId, ids))
  await look(isOfFile, ({kind, text}) => lookups[kind as 'permission' | 'revision'](fileId, text))
  return {
    ...input,
    params: replaced(input.params, ids) as CallInput['params'],
    body: replaced(input.body, ids) as CallInput['body'],
  }
}

/** The same with other values in the place of some texts. */
function replaced(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value
  if (Array.isArray(value)) return value.map(element => replaced(element, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, replaced(field, ids)]),
  )
}

/**
 * The request with the IDs of shared drives in the place of words that the service knew no drive by,
 * for these may be names; `undefined` where that cannot be found out. Fails where no drive, or more than
 * one, has the name.
 */
export async function withDriveNames(
  input: CallInput,
  words: readonly Word[],
  lookups: Lookups,
): Promise<CallInput | undefined> {
  const drives = words.filter(word => word.kind === 'drive' && !isName(word))
  if (drives.length === 0) return undefined
  try {
    const ids = new Map(
      await Promise.all(
        drives.map(async ({text}) => [text, await lookups.driveNamed(text)] as const),
      ),
    )
    const params = Object.entries(input.params).map(([name, value]) =>
      kindOf(name) === 'drive' ? [name, replaced(value, ids)] : [name, value],
    )
    return {...input, params: Object.fromEntries(params) as CallInput['params']}
  } catch (error) {
    // There is none of that name, or several; what keeps the names from being asked for says nothing.
    if (error instanceof CommandError) throw error
    return undefined
  }
}
