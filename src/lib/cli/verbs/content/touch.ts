import type {Context} from '#lib/cli/context/context.js'
import {chooseAt, readRemotePath, withExitCode} from '#lib/cli/input/names/resolver.js'
import type {CallStep, Step} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {reserveIds} from '#lib/transfer/ids.js'
import {mimeTypeOf, titleKey} from '#lib/transfer/local/names.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {type Located, resolveRemotePaths} from '#lib/transfer/remote/resolve.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'

/** The plan for one argument: an existing file, a new file, a missing file to skip, or an error. */
type Touch =
  | {readonly fileId: string}
  | {readonly parent: string; readonly title: string}
  | {readonly isLeftOut: true}
  | {readonly error: unknown}

/**
 * The steps that set the modified date of files to now; with `mayCreate`, the steps that create a missing file
 * once per path if its folder exists. Throws `UsageError` for an invalid path.
 */
export async function planTouch(
  context: Context,
  words: readonly string[],
  mayCreate: boolean,
): Promise<Step[]> {
  const places = words.map(readRemotePath)
  const client = await context.client()
  const located = await resolveRemotePaths(client, places, chooseAt(context))
  const touches = located.map((one, index) => touchTimes(places[index]!, one, mayCreate))
  const ids = await reserveIds(client, touches.filter(touch => 'title' in touch).length)
  const created = new Set<string>()
  const steps: Step[] = []
  for (const [index, touch] of touches.entries()) {
    const original = words[index]!
    if ('error' in touch) steps.push({original, error: touch.error})
    else if ('fileId' in touch) steps.push(touchStep(original, touch.fileId))
    else if ('title' in touch) {
      const {parent, title} = touch
      const key = JSON.stringify([parent, titleKey(title)])
      if (created.has(key)) continue
      created.add(key)
      const mimeType = await mimeTypeOf(title)
      const body = {id: ids.shift()!, title, parents: [{id: parent}], ...(mimeType && {mimeType})}
      steps.push({original, call: {id: 'files.insert', input: {params: ALL_DRIVES, body}}})
    }
  }
  return steps
}

function touchStep(original: string, fileId: string): CallStep {
  return {original, call: {id: 'files.touch', input: {params: {fileId, ...ALL_DRIVES}}}}
}

/** The plan for a resolved path. Pure. */
export function touchTimes(place: RemotePath, located: Located, mayCreate: boolean): Touch {
  if ('error' in located) return {error: withExitCode(located.error)}
  const {entry, missing} = located.found
  const [title, second] = missing
  if (title === undefined) return {fileId: entry.id}
  if (!mayCreate) return {isLeftOut: true}
  if (entry.kind !== 'folder') return {error: withExitCode(noFolder(entry, place.text))}
  if (second === undefined && !place.isContents) return {parent: entry.id, title}
  const folder = place.isContents ? place.text : place.text.replace(/\/[^/]*$/, '')
  const words = `Cannot create ${place.text}: the folder ${folder} does not exist.`
  return {error: new CommandError('notFound', words, `Run \`drv mkdir -p ${folder}\` first.`)}
}
