import {createsFile} from '#lib/api/operations.js'
import {parentIds} from '#lib/api/reached.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {BatchCall, ParameterTexts} from '#lib/client/client.js'
import {readFile, textOf} from './reversal.js'
import type {SeenRecords} from './seen.js'

/** Names the items of changes for people: by path as far as known, else by title. */
export interface ItemNames {
  /** The path or title of the item that a call changes; `undefined` if unknown. */
  of(call: BatchCall): string | undefined
  /** Takes over the name that a call gives an item. */
  changed(call: BatchCall): void
}

/** Maximum number of folders in a path. */
const DEPTH = 100
/** Maximum number of new files to know by path; further changes to older ones are rare. */
const NEW_FILES = 10_000

/** `paths` are paths of files by ID, to which those of new folders are added. */
export function createItemNames(
  seen: Pick<SeenRecords, 'find'>,
  paths: Map<string, string>,
): ItemNames {
  const newFiles = new Map<string, string>()

  function pathOf(id: string, depth = 0): string | undefined {
    if (id === 'root') return ''
    const known = paths.get(id) ?? newFiles.get(id)
    if (known !== undefined) return known.replace(/\/+$/, '')
    const record = seen.find(readFile(id, 'title,parents(id)'))
    if (typeof record?.title !== 'string' || depth > DEPTH) return undefined
    const folder = folderPath(parentIds(record)[0], depth + 1)
    return folder === undefined ? undefined : `${folder}/${record.title}`
  }

  function folderPath(id: string | undefined, depth = 0): string | undefined {
    return id === undefined ? undefined : pathOf(id, depth)
  }

  function titleOf(id: string): string | undefined {
    const title = seen.find(readFile(id, 'title'))?.title
    return typeof title === 'string' ? title : undefined
  }

  function newPath({id, input: {params, body = {}}}: BatchCall): string | undefined {
    const {title} = body
    if (typeof title !== 'string') return undefined
    const folder =
      body.parents === undefined ? folderOfNew(id, params) : folderPath(parentIds(body)[0])
    return folder === undefined ? undefined : `${folder}/${title}`
  }

  /** Where a file is created if the request names no folder: a copy beside its original. */
  function folderOfNew(id: string, {fileId}: ParameterTexts): string | undefined {
    return id === 'files.copy' ? pathOf(textOf(fileId))?.replace(/\/[^/]*$/, '') : ''
  }

  return {
    of(call) {
      const {params, body = {}} = call.input
      if (createsFile(call.id)) return newPath(call) ?? (textOf(body.title) || undefined)
      const id = textOf(
        params.fileId ?? params.childId ?? (call.id === 'children.insert' && body.id),
      )
      if (id !== '') return pathOf(id) ?? titleOf(id)
      if (typeof body.name === 'string') return body.name
      const driveId = textOf(params.driveId)
      const name = seen.find({id: 'drives.get', input: {params: {driveId, fields: 'name'}}})?.name
      return typeof name === 'string' ? name : undefined
    },
    changed(call) {
      const id = textOf(call.input.body?.id)
      const path = createsFile(call.id) && id !== '' ? newPath(call) : undefined
      if (path === undefined) return
      if (call.input.body?.mimeType === FOLDER_TYPE) paths.set(id, path)
      else newFiles.set(id, path)
      if (newFiles.size > NEW_FILES) newFiles.delete(newFiles.keys().next().value!)
    },
  }
}
