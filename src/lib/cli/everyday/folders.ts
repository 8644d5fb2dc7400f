import {FOLDER_TYPE} from '../../api/wire.js'
import {reserveIds} from '../../transfer/ids.js'
import {titleKey} from '../../transfer/local/names.js'
import {ALL_DRIVES} from '../../transfer/remote/records.js'
import type {RemotePath} from '../../transfer/remote/remotepath.js'
import type {Found} from '../../transfer/remote/resolve.js'
import {resolveRemotePaths} from '../../transfer/remote/resolvemany.js'
import {wordFor} from '../../transfer/tree/entries.js'
import type {Context} from '../command/context.js'
import {CommandError, UsageError} from '../command/errors.js'
import {chooseAt} from '../naming/choose.js'
import {readRemotePath} from '../naming/lookups.js'
import {placeError} from '../naming/places.js'
import type {AnyStep, Step} from './steps.js'

/** Makes a folder under an ID reserved for it, so that no retry makes it twice. */
export function makingFolder(
  original: string,
  folder: {readonly id: string; readonly title: string; readonly parent: string},
  rest: Pick<Step, 'after' | 'isAside'>,
): Step {
  const {id, title, parent} = folder
  const body = {id, title, mimeType: FOLDER_TYPE, parents: [{id: parent}]}
  return {original, call: {id: 'files.insert', input: {params: ALL_DRIVES, body}}, ...rest}
}

/** Shows what is there already as the result. */
export function showing(original: string, fileId: string): Step {
  return {original, call: {id: 'files.get', input: {params: {fileId, ...ALL_DRIVES}}}}
}

/**
 * The steps that make the folders of some paths; with `isDeep` those on the way too, and what is there
 * is shown. Paths are followed together, and one may lead through the folder of another. Throws
 * `UsageError` for a word that is no path of a new folder.
 */
export async function planFolders(
  context: Context,
  words: readonly string[],
  isDeep: boolean,
): Promise<AnyStep[]> {
  const places = words.map(readNewFolder)
  const client = await context.client()
  const located = await resolveRemotePaths(client, places, chooseAt(context))
  const most = located.flatMap(one => ('found' in one ? one.found.missing : [])).length
  const ids = await reserveIds(client, most)
  const made = new Map<string, {readonly id: string; readonly step: Step}>()

  function stepsTo(original: string, place: RemotePath, {entry, missing}: Found): AnyStep[] {
    if (missing.length === 0) {
      if (isDeep && entry.kind === 'folder') return [showing(original, entry.id)]
      return [{original, error: isThere(original, `${wordFor(entry)} with the ID ${entry.id}`)}]
    }
    const steps: Step[] = []
    let at: {readonly id: string; readonly step?: Step} = {id: entry.id}
    for (const [index, title] of missing.entries()) {
      const isLast = index === missing.length - 1
      const key = `${at.id}/${titleKey(title)}`
      const known = made.get(key)
      if (known && isLast) {
        if (!isDeep) return [{original, error: isThere(original, 'another of these folders')}]
        return [{...showing(original, known.id), after: known.step}]
      }
      if (!known && !isLast && !isDeep) return [{original, error: noParent(place, title)}]
      if (known) at = known
      else {
        const id = ids.shift()!
        const folder = {id, title, parent: at.id}
        const step = makingFolder(original, folder, {after: at.step, isAside: !isLast})
        steps.push(step)
        at = {id, step}
        made.set(key, {id, step})
      }
    }
    return steps
  }

  return located.flatMap((one, index) => {
    const original = words[index]!
    if ('error' in one) return [{original, error: placeError(one.error)}]
    return stepsTo(original, places[index]!, one.found)
  })
}

function readNewFolder(word: string): RemotePath {
  const place = readRemotePath(word)
  const {start, names} = place
  if (start.in === 'trash') {
    throw new UsageError(`${word} is in the trash, where nothing can be made.`)
  }
  if (start.in === 'id' && names.length === 0) {
    throw new UsageError(
      `${word} is an ID or a link, not the path of a new folder.`,
      `A path begins with a slash: /${word}.`,
    )
  }
  return place
}

function isThere(word: string, what: string): CommandError {
  return new CommandError(
    'conflict',
    `${word} is there already: ${what}.`,
    'With -p a folder that is there is fine.',
  )
}

function noParent({text}: RemotePath, name: string): CommandError {
  return new CommandError(
    'notFound',
    `${text} was not made: there is no ${JSON.stringify(name)} on the way to it.`,
    'With -p what is missing on the way is made too.',
  )
}
