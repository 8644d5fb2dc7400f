import {FOLDER_TYPE} from '#lib/api/wire.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {ownProperty} from '#lib/platform/values.js'
import {isNumber, kindWord, peopleText, transferredText} from './people.js'
import type {KindColumns, TableColumn} from './table-column.js'

const time = (of: string, rank: number): TableColumn => ({of, rank, isWhole: true})
const id = (rank: number, of = 'id'): TableColumn => ({
  of,
  rank,
  isWhole: true,
  tone: 'dim',
})
/** A column that shows a word if the value is true, else nothing or another word. */
const when = (of: string, rank: number, word = 'yes', other = ''): TableColumn => ({
  of,
  rank,
  show: value => (value === true ? word : other),
})
const kind = (of: string, rank: number): TableColumn => ({
  of,
  rank,
  show: value => (typeof value === 'string' ? kindWord(value) : ''),
})
/** Lists of files include trashed ones. */
const kindOrTrash: TableColumn = {
  ...kind('mimeType', 3),
  more: ['labels.trashed'],
  show(value, {labels}) {
    const isTrashed = (labels as {trashed?: unknown} | undefined)?.trashed === true
    const word = typeof value === 'string' ? kindWord(value) : ''
    return isTrashed ? `${word} (trashed)`.trimStart() : word
  },
}
const size = (of: string, rank: number): TableColumn => ({of, rank, isWhole: true, isRight: true})

/** The name of a file; folders end with a slash, as with `ls -p`. */
const name = (of: string): TableColumn => ({
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

/** All kinds of records: by the `kind` of the service, or the name that commands use. */
const KINDS = {
  'drive#app': {
    rows: ['id', 'name', 'installed', 'authorized'],
    table: {
      name: {of: 'name', rank: 0},
      installed: when('installed', 1),
      authorized: when('authorized', 2),
      id: id(3),
    },
  },
  'drive#change': {
    rows: [
      'id',
      ['changeType', 'type'],
      ['fileId', 'driveId'],
      'deleted',
      ['file.title', 'drive.name'],
      'modificationDate',
    ],
    table: {
      title: {of: ['file.title', 'drive.name', 'fileId', 'driveId'], rank: 0},
      kind: {
        of: ['file.mimeType', 'changeType', 'type'],
        rank: 3,
        show: value => (/\//.test(String(value)) ? kindWord(String(value)) : peopleText(value)),
      },
      change: {of: 'deleted', rank: 2, show: value => (value === true ? 'deleted' : 'changed')},
      time: time('modificationDate', 1),
      item: {...id(4), of: ['fileId', 'driveId']},
    },
  },
  'drive#childReference': {
    rows: ['id'],
    table: {id: {of: 'id', rank: 0, isWhole: true}},
  },
  'drive#drive': {
    rows: ['id', 'name', 'hidden', 'createdDate'],
    table: {
      name: {of: 'name', rank: 0},
      created: time('createdDate', 1),
      hidden: when('hidden', 2),
      id: id(3),
    },
  },
  'drive#file': {
    rows: ['id', 'title', 'mimeType', 'fileSize', 'modifiedDate'],
    table: {
      title: {of: 'title', rank: 0},
      kind: kindOrTrash,
      size: size('fileSize', 2),
      modified: time('modifiedDate', 1),
      owner: {of: 'ownerNames', rank: 4, tone: 'dim'},
      id: id(5),
    },
  },
  'drive#label': {
    rows: ['id', 'revisionId', 'fields'],
    table: {
      id: {of: 'id', rank: 0, isWhole: true},
      revision: {of: 'revisionId', rank: 1},
      fields: {
        of: 'fields',
        rank: 2,
        show: value => Object.keys(value ?? {}).join(', '),
      },
    },
  },
  'drive#parentReference': {
    rows: ['id', 'isRoot'],
    table: {
      id: {of: 'id', rank: 0, isWhole: true},
      root: when('isRoot', 1, 'My Drive'),
    },
  },
  'drive#permission': {
    rows: ['id', 'type', 'role', ['emailAddress', 'domain', 'name'], 'expirationDate'],
    table: {
      who: {of: ['emailAddress', 'domain', 'name', 'type'], rank: 0},
      role: {of: 'role', rank: 1},
      type: {of: 'type', rank: 2},
      expires: time('expirationDate', 3),
      id: id(4),
    },
  },
  'drive#property': {
    rows: ['key', 'value', 'visibility'],
    table: {
      key: {of: 'key', rank: 0},
      value: {of: 'value', rank: 1},
      visibility: {of: 'visibility', rank: 2, tone: 'dim'},
    },
  },
  'drive#revision': {
    rows: [
      'id',
      'fileSize',
      'modifiedDate',
      ['lastModifyingUser.displayName', 'lastModifyingUserName'],
      'pinned',
    ],
    table: {
      modified: {of: 'modifiedDate', rank: 0, isWhole: true},
      size: size('fileSize', 1),
      by: {of: ['lastModifyingUser.displayName', 'lastModifyingUserName'], rank: 3},
      pinned: when('pinned', 4),
      id: id(2),
    },
  },
  access: {
    table: {
      file: {of: 'file', rank: 3},
      who: {of: 'who', rank: 0},
      role: {of: 'role', rank: 1},
      access: {of: 'access', rank: 2},
      from: {of: 'from', rank: 4},
      expires: time('expirationDate', 5),
    },
  },
  app: {
    table: {
      name: {of: 'name', rank: 0},
      'callback address': {of: 'callback_url', rank: 2},
      suspended: when('suspended', 3),
      'device flow': when('device_flow', 4),
      public: when('public', 5),
      'client id': id(1, 'client_id'),
    },
  },
  duplicate: {table: {path: name('path'), modified: time('modifiedDate', 1), id: id(2)}},
  file: {table: {name: name('title'), ...file}},
  'file in full': {
    isWhole: true,
    table: {
      name: name('title'),
      ...file,
      owner: {of: 'ownerNames', rank: 4, tone: 'dim'},
      shared: when('shared', 6),
      id: id(5),
    },
  },
  'found file': {table: {path: name('path'), ...file}},
  org: {
    table: {
      name: {of: 'name', rank: 0},
      'single sign-on': {of: 'sso', rank: 2},
      drives: {of: 'drives', rank: 3},
      id: id(1),
    },
  },
  share: {
    table: {
      file: {of: 'file', rank: 3},
      who: {of: 'who', rank: 0},
      role: {of: 'role', rank: 1},
      before: {of: 'before', rank: 4},
      change: {of: 'change', rank: 2},
    },
  },
  'sign-in': {
    table: {
      profile: {of: 'profile', rank: 0},
      'in use': when('inUse', 1),
      user: {of: 'user.login', rank: 2},
      service: {of: 'service', rank: 3},
      token: {of: 'source', rank: 4, tone: 'dim'},
    },
  },
  storage: {
    table: {
      name: {of: 'name', rank: 0},
      size: size('total', 2),
      used: size('used', 1),
      available: size('available', 3),
      'use%': {
        of: 'percent',
        rank: 4,
        isRight: true,
        show: value => (isNumber(value) ? `${cell(value)} %` : ''),
      },
      trash: size('trash', 5),
    },
  },
  channel: {
    table: {
      id: id(0),
      watches: {of: 'watches', rank: 2},
      state: {of: 'state', rank: 1},
      expires: time('expires', 3),
      service: {of: 'service', rank: 4},
      profile: {of: 'profile', rank: 5, tone: 'dim'},
    },
  },
  command: {
    table: {
      id: id(0),
      time: time('time', 1),
      changes: {of: 'changes', rank: 2, isRight: true},
      state: {of: 'state', rank: 3},
      command: {of: 'command', rank: 0},
    },
  },
  recordedChange: {
    table: {
      ...{id: id(1), time: time('time', 2), operation: {of: 'operation', rank: 0}},
      ...{item: {of: 'item', rank: 0}, state: {of: 'state', rank: 3}},
      undoable: when('undoable', 1, 'yes', 'no'),
      reason: {of: 'reason', rank: 4},
    },
  },
  transfer: {
    table: {
      path: {of: 'path', rank: 0},
      kind: {of: 'kind', rank: 3},
      state: {of: 'state', rank: 4},
      done: {of: 'done', rank: 1, isWhole: true, isRight: true, show: transferredText},
      size: size('size', 2),
      updated: time('updated', 6),
      profile: {of: 'profile', rank: 7, tone: 'dim'},
      key: id(5, 'key'),
    },
  },
  usage: {
    table: {
      size: size('size', 1),
      files: {of: 'files', rank: 2, isRight: true},
      path: name('path'),
    },
  },
  user: {
    table: {
      login: {of: 'login', rank: 0},
      name: {of: 'name', rank: 1},
      email: {of: 'email', rank: 2},
      verified: when('email_verified', 4),
      suspended: when('suspended', 3),
      id: id(5),
    },
  },
} as const satisfies Readonly<Record<string, KindColumns>>

/** The names of records without a `kind` of the service. */
export type TableName = Exclude<keyof typeof KINDS, `drive#${string}`>

/** The columns of a kind; `undefined` if it has none. */
export function columnsOfKind(kind: unknown): KindColumns | undefined {
  return typeof kind === 'string' ? ownProperty<KindColumns>(KINDS, kind) : undefined
}
