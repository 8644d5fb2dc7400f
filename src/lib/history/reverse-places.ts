import {parentIds} from '#lib/api/reached.js'
import type {Page} from '#lib/client/client.js'
import {
  callOf,
  hasValues,
  readFile,
  type Reversal,
  type SentChange,
  textOf,
  UNKNOWN_BEFORE,
  valuesOf,
  WITH_SHARED_DRIVES,
} from './reversal.js'

/** Reversals of changes to the folders of files, and to shared drives. */

/** A file that a request puts into a folder. */
interface Placing {
  readonly file: (change: SentChange) => string
  readonly folder: (change: SentChange) => string
}

const insertion = ({file, folder}: Placing): Reversal => ({
  words: 'moves the file back to the previous folder',
  before: change => readFile(file(change), 'parents(id)'),
  now: change => readFile(file(change), 'title,parents(id)'),
  isAsLeft: (change, record) =>
    record !== undefined &&
    (folder(change) === 'root' || parentIds(record).includes(folder(change))),
  left: change => ({parents: [{id: folder(change)}]}),
  reverse(change) {
    const [source] = change.before ? parentIds(change.before) : []
    if (source === undefined) return {reason: 'the previous folder is unknown'}
    if (source === folder(change)) return {calls: []}
    const params = {
      fileId: file(change),
      addParents: source,
      removeParents: folder(change),
      ...WITH_SHARED_DRIVES,
    }
    return {calls: [callOf('files.patch', params, {})]}
  },
})

const removal = ({file, folder}: Placing): Reversal => ({
  words: 'moves the file back into the folder',
  now: change => readFile(file(change), 'title,parents(id)'),
  isAsLeft: (change, record) => record !== undefined && !parentIds(record).includes(folder(change)),
  reverse: change => ({
    calls: [
      callOf('parents.insert', {fileId: file(change), ...WITH_SHARED_DRIVES}, {id: folder(change)}),
    ],
  }),
})

const ofParent: Placing = {
  file: ({params}) => textOf(params.fileId),
  folder: ({params, body}) => textOf(params.parentId ?? body.id),
}

const ofChild: Placing = {
  file: ({params, body}) => textOf(params.childId ?? body.id),
  folder: ({params}) => textOf(params.folderId),
}

const driveIn = ({params}: SentChange) => textOf(params.driveId)

const readDrive = (driveId: string) => callOf('drives.get', {driveId})

const hiding = (hidden: boolean): Reversal => ({
  words: hidden ? 'shows the shared drive again' : 'hides the shared drive again',
  isBeforeOptional: true,
  before: change => readDrive(driveIn(change)),
  now: change => readDrive(driveIn(change)),
  isAsLeft: (_, record) => record !== undefined && (record.hidden === true) === hidden,
  left: () => ({hidden}),
  reverse(change) {
    if (change.before && (change.before.hidden === true) === hidden) return {calls: []}
    return {calls: [callOf(hidden ? 'drives.unhide' : 'drives.hide', {driveId: driveIn(change)})]}
  },
})

const DRIVE_FIELDS = ['name', 'themeId', 'colorRgb', 'backgroundImageFile', 'restrictions']

const setFields = ({body}: SentChange) => DRIVE_FIELDS.filter(name => body[name] !== undefined)

/** The look of a shared drive before: its theme, or a color and an image. */
function lookBefore(before: Page): Page {
  if (typeof before.themeId === 'string') return {themeId: before.themeId}
  return valuesOf(before, ['colorRgb', 'backgroundImageFile'])
}

export const placeReversals = {
  'children.insert': insertion(ofChild),
  'children.delete': removal(ofChild),
  'parents.insert': insertion(ofParent),
  'parents.delete': removal(ofParent),
  'drives.hide': hiding(true),
  'drives.unhide': hiding(false),
  'drives.insert': {
    words: 'deletes the new shared drive, if it is empty',
    now: ({result}) => (result?.id === undefined ? undefined : readDrive(textOf(result.id))),
    isAsLeft: ({body}, record) => record !== undefined && record.name === body.name,
    reverse({result}) {
      if (typeof result?.id !== 'string')
        return {reason: 'the ID of the new shared drive is unknown'}
      return {
        calls: [callOf('drives.delete', {driveId: result.id})],
        note: 'the shared drive is deleted permanently',
      }
    },
  },
  'drives.delete': {
    words: 'cannot be undone',
    reverse: () => ({reason: 'it was deleted permanently'}),
  },
  'drives.update': {
    words: 'restores the previous values of the changed fields',
    before: change => readDrive(driveIn(change)),
    now: change => readDrive(driveIn(change)),
    isAsLeft: (change, record) =>
      record !== undefined && hasValues(record, valuesOf(change.body, setFields(change))),
    left: change => valuesOf(change.body, setFields(change)),
    reverse(change) {
      const {before} = change
      if (!before) return {reason: UNKNOWN_BEFORE}
      const names = setFields(change)
      const isLook = names.some(name => !['name', 'restrictions'].includes(name))
      const body = {
        ...(names.includes('name') && {name: before.name}),
        ...(names.includes('restrictions') && {restrictions: before.restrictions}),
        ...(isLook && lookBefore(before)),
      }
      return {calls: [callOf('drives.update', {driveId: driveIn(change)}, body)]}
    },
  },
} as const satisfies Record<string, Reversal>
