import {basename, join} from 'node:path'
import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {contentField, findLocal} from './content.js'
import type {SeedFile} from './seed.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** An item of a seed with its position; local folders are replaced by their items. */
export interface SeedItem {
  readonly file: SeedFile & {readonly title: string}
  readonly path: SeedPath
  readonly children: readonly SeedItem[]
  /** `file` if its type follows from title and content. */
  readonly kind: 'folder' | 'shortcut' | 'file'
}

/** The items of a list, with those of local folders. Throws `SeedProblem` for fields that contradict each other. */
export async function expandItems(
  files: readonly SeedFile[] | undefined,
  folder: string,
  path: SeedPath,
): Promise<readonly SeedItem[]> {
  const items: SeedItem[] = []
  for (const [index, file] of (files ?? []).entries()) {
    items.push(await expand(file, folder, [...path, index]))
  }
  return items
}

async function expand(
  file: SeedFile,
  folder: string,
  path: SeedPath,
  above: readonly string[] = [],
): Promise<SeedItem> {
  const field = contentField(file, path)
  const local =
    file.path === undefined
      ? undefined
      : await findLocal(folder, file.path, [...path, 'path'], above)
  const title = file.title ?? (file.path === undefined ? undefined : basename(file.path))
  if (title === undefined) throw new SeedProblem([...path, 'title'], 'is missing')
  const kind = kindOf(file, local?.names !== undefined)
  const refuse = (name: keyof SeedFile, reason: string) => {
    if (file[name] !== undefined) throw new SeedProblem([...path, name], reason)
  }
  if (field !== undefined) refuse('revisions', `cannot be combined with ${field}`)
  if (kind !== 'file') {
    refuse('revisions', `is not allowed for a ${kind}`)
    if (field !== undefined && !local?.names) refuse(field, `is not allowed for a ${kind}`)
    const type = kind === 'folder' ? FOLDER_TYPE : SHORTCUT_TYPE
    if (file.mimeType !== type) refuse('mimeType', `must be ${type} for a ${kind}`)
  }
  if (kind !== 'folder') refuse('children', `is not allowed for a ${kind}`)
  if (kind === 'shortcut' && file.shortcutTarget === undefined) {
    throw new SeedProblem([...path, 'shortcutTarget'], 'is missing')
  }
  const own = await expandItems(file.children, folder, [...path, 'children'])
  const found: SeedItem[] = []
  const below = local ? [...above, local.path] : above
  for (const name of local?.names ?? []) {
    // Errors name the folder in the seed.
    found.push(await expand({path: join(file.path!, name)}, folder, path, below))
  }
  return {file: {...file, title}, path, children: [...own, ...found], kind}
}

function kindOf(file: SeedFile, isLocalFolder: boolean): SeedItem['kind'] {
  if (file.children !== undefined || isLocalFolder || file.mimeType === FOLDER_TYPE) return 'folder'
  return file.shortcutTarget !== undefined || file.mimeType === SHORTCUT_TYPE ? 'shortcut' : 'file'
}
