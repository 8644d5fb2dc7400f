import {FOLDER_TYPE} from '#lib/api/wire.js'
import {cell} from '#lib/cli/terminal/cell.js'
import type {Tone} from '#lib/cli/terminal/color.js'
import {percentText} from '#lib/cli/terminal/units.js'
import {firstValue, listColumns} from './columns.js'
import type {Row, TableName} from './format.js'
import {kindWord} from './kinds.js'
import {forPeople, isNumber} from './people.js'

/** A column of a table: what people look for, as they read it. */
export interface TableColumn {
  readonly title: string
  readonly text: (record: Row) => string
  /** Never cut. */
  readonly isWhole?: boolean
  readonly isRight?: boolean
  /** 0 is what the row is about; of the others the greatest is left out first where room is scarce. */
  readonly rank: number
  readonly tone?: (record: Row) => Tone | undefined
}

/** How a column is written down here; its place in the list is where it stands. */
interface Written extends Omit<TableColumn, 'title' | 'text' | 'tone'> {
  /** The first of these paths that has a value counts. */
  readonly of: string | readonly string[]
  readonly show?: (value: unknown, record: Row) => string
  readonly tone?: Tone
}

type WrittenColumns = Readonly<Record<string, Written>>

const time = (of: string, rank: number): Written => ({of, rank, isWhole: true})
const id = (rank: number, of: string | string[] = 'id'): Written => ({
  of,
  rank,
  isWhole: true,
  tone: 'dim',
})
/** A word where it is so, and nothing where it is not. */
const when = (of: string, rank: number, word = 'yes'): Written => ({
  of,
  rank,
  show: value => (value === true ? word : ''),
})
const kind = (of: string, rank: number): Written => ({
  of,
  rank,
  show: value => (typeof value === 'string' ? kindWord(value) : ''),
})
const size = (of: string, rank: number): Written => ({of, rank, isWhole: true, isRight: true})

/** The name of a file; a folder's has a slash at its end, as with `ls -p`. */
const name = (of: string): Written => ({
  of,
  rank: 0,
  show(value, record) {
    const text = cell(value)
    return record.mimeType === FOLDER_TYPE && !text.endsWith('/') ? `${text}/` : text
  },
})
const file = {
  kind: kind('mimeType', 3),
  size: size('fileSize', 2),
  modified: time('modifiedDate', 1),
} as const

/**
 * What tables show of each kind of record, in order; those without a `kind` of the service by the
 * name that commands give them.
 */
const columnsOfKind = {
  'drive#app': {
    name: {of: 'name', rank: 0},
    installed: when('installed', 1),
    authorized: when('authorized', 2),
    id: id(3),
  },
  'drive#change': {
    title: {of: ['file.title', 'drive.name', 'fileId', 'driveId'], rank: 0},
    kind: {
      of: ['file.mimeType', 'changeType', 'type'],
      rank: 3,
      show: value => (/\//.test(String(value)) ? kindWord(String(value)) : forPeople(value)),
    },
    change: {of: 'deleted', rank: 2, show: value => (value === true ? 'deleted' : 'changed')},
    time: time('modificationDate', 1),
    item: id(4, ['fileId', 'driveId']),
  },
  'drive#childReference': {id: {of: 'id', rank: 0, isWhole: true}},
  'drive#drive': {
    name: {of: 'name', rank: 0},
    created: time('createdDate', 1),
    hidden: when('hidden', 2),
    id: id(3),
  },
  'drive#file': {
    title: {of: 'title', rank: 0},
    kind: kind('mimeType', 3),
    size: size('fileSize', 2),
    modified: time('modifiedDate', 1),
    owner: {of: 'ownerNames', rank: 4, tone: 'dim'},
    id: id(5),
  },
  'drive#label': {
    id: {of: 'id', rank: 0, isWhole: true},
    revision: {of: 'revisionId', rank: 1},
    fields: {
      of: 'fields',
      rank: 2,
      show: value => Object.keys(value ?? {}).join(', '),
    },
  },
  'drive#parentReference': {
    id: {of: 'id', rank: 0, isWhole: true},
    root: when('isRoot', 1, 'My Drive'),
  },
  'drive#permission': {
    who: {of: ['emailAddress', 'domain', 'name', 'type'], rank: 0},
    role: {of: 'role', rank: 1},
    type: {of: 'type', rank: 2},
    expires: time('expirationDate', 3),
    id: id(4),
  },
  'drive#property': {
    key: {of: 'key', rank: 0},
    value: {of: 'value', rank: 1},
    visibility: {of: 'visibility', rank: 2, tone: 'dim'},
  },
  'drive#revision': {
    modified: {of: 'modifiedDate', rank: 0, isWhole: true},
    size: size('fileSize', 1),
    by: {of: ['lastModifyingUser.displayName', 'lastModifyingUserName'], rank: 3},
    pinned: when('pinned', 4),
    id: id(2),
  },
  access: {
    file: {of: 'file', rank: 3},
    who: {of: 'who', rank: 0},
    role: {of: 'role', rank: 1},
    access: {of: 'access', rank: 2},
    from: {of: 'from', rank: 4},
    expires: time('expirationDate', 5),
  },
  app: {
    name: {of: 'name', rank: 0},
    'callback address': {of: 'callback_url', rank: 2},
    suspended: when('suspended', 3),
    'device flow': when('device_flow', 4),
    public: when('public', 5),
    'client id': id(1, 'client_id'),
  },
  duplicate: {path: name('path'), modified: time('modifiedDate', 1), id: id(2)},
  file: {name: name('title'), ...file},
  'file in full': {
    name: name('title'),
    ...file,
    owner: {of: 'ownerNames', rank: 4, tone: 'dim'},
    shared: when('shared', 6),
    id: id(5),
  },
  'found file': {path: name('path'), ...file},
  org: {
    name: {of: 'name', rank: 0},
    'single sign-on': {of: 'sso', rank: 2},
    drives: {of: 'drives', rank: 3},
    id: id(1),
  },
  share: {
    file: {of: 'file', rank: 3},
    who: {of: 'who', rank: 0},
    role: {of: 'role', rank: 1},
    before: {of: 'before', rank: 4},
    change: {of: 'change', rank: 2},
  },
  'sign-in': {
    profile: {of: 'profile', rank: 0},
    'in use': when('inUse', 1),
    user: {of: 'user.login', rank: 2},
    service: {of: 'service', rank: 3},
    token: {of: 'source', rank: 4, tone: 'dim'},
  },
  transfer: {
    path: {of: 'path', rank: 0},
    kind: {of: 'kind', rank: 3},
    state: {of: 'state', rank: 4},
    done: {of: 'done', rank: 1, isWhole: true, isRight: true, show: doneText},
    size: size('size', 2),
    updated: time('updated', 6),
    profile: {of: 'profile', rank: 7, tone: 'dim'},
    key: id(5, 'key'),
  },
  usage: {
    size: size('size', 1),
    files: {of: 'files', rank: 2, isRight: true},
    path: name('path'),
  },
  user: {
    login: {of: 'login', rank: 0},
    name: {of: 'name', rank: 1},
    email: {of: 'email', rank: 2},
    verified: when('email_verified', 4),
    suspended: when('suspended', 3),
    id: id(5),
  },
} as const satisfies Readonly<Record<TableName | `drive#${string}`, WrittenColumns>>

/** Fields that are of no use when they are cut. */
const WHOLE = /(Id|Date|Size)$/

/** The columns of the table of records that begin with `first`; `asked` names fields. */
export function tableColumns(
  first: Row,
  {asked, name = first.kind}: {readonly asked?: readonly string[]; readonly name?: unknown},
): TableColumn[] {
  const written = asked === undefined ? writtenFor(name) : undefined
  if (!written) {
    return listColumns(first, asked).map(({title, value, isWhole}) => ({
      title,
      text: record => forPeople(value(record), title.split('.').at(-1)),
      isWhole: isWhole || WHOLE.test(title),
      rank: 0,
    }))
  }
  return Object.entries(written).map(([title, {of, show, tone, ...rest}]) => ({
    ...rest,
    title,
    text: record => {
      const value = firstValue(record, of)
      return show ? show(value, record) : forPeople(value, String(of))
    },
    tone: record =>
      tone ?? (rest.rank === 0 && record.mimeType === FOLDER_TYPE ? 'folder' : undefined),
  }))
}

/** The paths of what a table shows of records of a kind, with the kind itself, by which it is known. */
export function tablePaths(kind: string): string[] | undefined {
  const written = writtenFor(kind)
  return written && ['kind', ...new Set(Object.values(written).flatMap(({of}) => of))]
}

function writtenFor(name: unknown): WrittenColumns | undefined {
  return typeof name === 'string' && Object.hasOwn(columnsOfKind, name)
    ? columnsOfKind[name as keyof typeof columnsOfKind]
    : undefined
}

/** How much of `size` is done: `4.2 MiB (42 %)`; only the bytes where the size is not known. */
function doneText(done: unknown, {size}: Row): string {
  if (!isNumber(done)) return ''
  const bytes = forPeople(done, 'done')
  if (!isNumber(size) || Number(size) === 0) return bytes
  return `${bytes} (${percentText(Number(done), Number(size))})`
}
