import {expect, test} from 'vitest'
import {isMutating, operation, type OperationId, operations} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {type Change, changeOf, hasChange, withRecord} from '#lib/cli/changes/change.js'
import {changeText, createChangeSum} from '#lib/cli/changes/words.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {CallInput} from '#lib/client/client.js'

const file = {args: {file_id: '/a.txt'}, flags: {}}
const drive = {args: {drive_id: 'Sales'}, flags: {}}
const role = {args: {file_id: '/a.txt', permission_id: 'ada@example.com'}, flags: {}}
const property = {args: {file_id: '/a.txt', property_key: 'k'}, flags: {}}
const revision = {args: {file_id: '/a.txt', revision_id: '5'}, flags: {}}
const grant = {role: 'reader', type: 'user', value: 'ada@example.com'}

/** The operation, the command line, the body, and the text in past tense and in base form. */
const cases: ReadonlyArray<readonly [OperationId, Parsed, CallInput['body'], string, string]> = [
  ['channels.stop', {args: {}, flags: {}}, {id: 'C'}, 'Stopped channel C', 'stop channel C'],
  [
    'children.delete',
    {args: {folder_id: '/F', child_id: 'a.txt'}, flags: {}},
    ...([undefined, 'Removed a.txt from /F', 'remove a.txt from /F'] as const),
  ],
  [
    'children.insert',
    {args: {folder_id: '/F'}, flags: {id: '/a.txt'}},
    ...([{id: 'A'}, 'Moved /a.txt to /F', 'move /a.txt to /F'] as const),
  ],
  [
    ...(['drives.delete', drive, undefined] as const),
    ...(['Deleted shared drive Sales', 'permanently delete shared drive Sales'] as const),
  ],
  ['drives.hide', drive, undefined, 'Hid shared drive Sales', 'hide shared drive Sales'],
  [
    ...(['drives.insert', {args: {}, flags: {}}, {name: 'Sales'}] as const),
    ...(['Created shared drive Sales', 'create shared drive Sales'] as const),
  ],
  ['drives.unhide', drive, undefined, 'Unhid shared drive Sales', 'unhide shared drive Sales'],
  ['drives.update', drive, {}, 'Updated shared drive Sales', 'update shared drive Sales'],
  ['files.copy', file, {}, 'Copied /a.txt', 'copy /a.txt'],
  ['files.delete', file, undefined, 'Deleted /a.txt', 'permanently delete /a.txt'],
  [
    ...(['files.emptyTrash', {args: {}, flags: {}}, undefined] as const),
    ...(['Emptied the trash', 'permanently delete everything in the trash'] as const),
  ],
  [
    ...([
      'files.insert',
      {args: {path: 'r.pdf'}, flags: {parent: '/F'}},
      {title: 'r.pdf'},
    ] as const),
    ...(['Uploaded r.pdf to /F', 'upload r.pdf to /F'] as const),
  ],
  [
    ...(['files.insert', {args: {}, flags: {}}, {title: 'F', mimeType: FOLDER_TYPE}] as const),
    ...(['Created folder F in My Drive', 'create folder F in My Drive'] as const),
  ],
  ['files.modifyLabels', file, {}, 'Updated the labels of /a.txt', 'update the labels of /a.txt'],
  ['files.patch', file, {description: 'x'}, 'Updated /a.txt', 'update /a.txt'],
  ['files.patch', file, {title: 'b'}, 'Renamed /a.txt to b', 'rename /a.txt to b'],
  ['files.patch', file, {labels: {starred: true}}, 'Starred /a.txt', 'star /a.txt'],
  ['files.patch', file, {labels: {starred: false}}, 'Unstarred /a.txt', 'unstar /a.txt'],
  ['files.patch', file, {labels: {starred: true, viewed: true}}, 'Updated /a.txt', 'update /a.txt'],
  ['files.touch', file, undefined, 'Touched /a.txt', 'touch /a.txt'],
  ['files.trash', file, undefined, 'Moved /a.txt to the trash', 'move /a.txt to the trash'],
  [
    ...(['files.untrash', file, undefined] as const),
    ...(['Restored /a.txt from the trash', 'restore /a.txt from the trash'] as const),
  ],
  ['files.update', file, {title: 'b', description: 'x'}, 'Updated /a.txt', 'update /a.txt'],
  [
    'parents.delete',
    {args: {file_id: '/a.txt', parent_id: '/F'}, flags: {}},
    ...([undefined, 'Removed /a.txt from /F', 'remove /a.txt from /F'] as const),
  ],
  [
    'parents.insert',
    {args: {file_id: '/a.txt'}, flags: {id: '/F'}},
    ...([{id: 'F'}, 'Moved /a.txt to /F', 'move /a.txt to /F'] as const),
  ],
  [
    ...(['permissions.delete', role, undefined] as const),
    ...(['Stopped sharing /a.txt with ada@example.com'] as const),
    'stop sharing /a.txt with ada@example.com',
  ],
  [
    ...(['permissions.insert', file, grant] as const),
    ...(['Shared /a.txt with ada@example.com (reader; email sent)'] as const),
    'share /a.txt with ada@example.com (reader; sends an email)',
  ],
  [
    ...(['permissions.insert', file, {role: 'reader', type: 'anyone'}] as const),
    ...(['Shared /a.txt with anyone who has the link (reader)'] as const),
    'share /a.txt with anyone who has the link (reader)',
  ],
  ...(['permissions.patch', 'permissions.update'] as const).map(
    id =>
      [
        ...([id, role, {role: 'reader', additionalRoles: ['commenter']}] as const),
        'Changed the role of ada@example.com on /a.txt to commenter',
        'change the role of ada@example.com on /a.txt to commenter',
      ] as const,
  ),
  [
    ...(['properties.delete', property, undefined] as const),
    ...(['Deleted property k of /a.txt', 'delete property k of /a.txt'] as const),
  ],
  ...(['properties.insert', 'properties.patch', 'properties.update'] as const).map(
    id =>
      [
        ...([id, property, {value: 'v'}] as const),
        ...(['Set property k to v on /a.txt', 'set property k to v on /a.txt'] as const),
      ] as const,
  ),
  [
    ...(['revisions.delete', revision, undefined] as const),
    ...(['Deleted revision 5 of /a.txt', 'permanently delete revision 5 of /a.txt'] as const),
  ],
  ...(['revisions.patch', 'revisions.update'] as const).map(
    id =>
      [
        ...([id, revision, {pinned: true}] as const),
        ...(['Updated revision 5 of /a.txt', 'update revision 5 of /a.txt'] as const),
      ] as const,
  ),
]

test.each(cases)('%s %j %j', (id, parsed, body, past, would) => {
  const change = changeOf(operation(id), parsed, {params: {}, body})!
  expect(changeText(change, 'past')).toBe(past)
  expect(changeText(change, 'would')).toBe(`Would ${would}`)
})

test('every operation that makes changes has a text, and so does stopping notifications', () => {
  const known = operations.filter(one => hasChange(one)).map(({operationId}) => operationId)
  const changing = operations.filter(isMutating).map(({operationId}) => operationId)
  expect([...changing, 'channels.stop'].sort()).toEqual([...known].sort())
  expect([...new Set(cases.map(([id]) => id))].sort()).toEqual([...known].sort())
})

const trash = (thing: string, more: Partial<Change> = {}): Change => ({
  action: 'trash',
  thing,
  ...more,
})

test.each<[Change, string]>([
  [
    trash('/work', {isFolder: true, extent: {files: 128, folders: 3, bytes: 658_432}}),
    'Would move /work/ (128 files, 643.0 KiB) to the trash',
  ],
  [
    trash('/work', {isFolder: true, extent: {files: 1500, folders: 0, bytes: 0, isMore: true}}),
    'Would move /work/ (at least 1,500 files) to the trash',
  ],
  [
    trash('/work/', {isFolder: true, extent: {files: 0, folders: 2, bytes: 0}}),
    'Would move /work/ (2 folders) to the trash',
  ],
  [
    trash('/work', {isFolder: true, extent: {files: 0, folders: 0, bytes: 0}}),
    'Would move /work/ (empty) to the trash',
  ],
  [
    trash('/a', {extent: {files: 1, folders: 0, bytes: 3800}}),
    'Would move /a (3.7 KiB) to the trash',
  ],
  [trash('\u001b[2Ja\nb'), 'Would move \\x1b[2Ja\\nb to the trash'],
])('%j', (change, text) => {
  expect(changeText(change, 'would')).not.toMatch(/[\p{Cc}]/u)
  if (!change.thing.startsWith('\u001b')) expect(changeText(change, 'would')).toBe(text)
})

function sumText(changes: readonly Change[]): string {
  const sum = createChangeSum()
  for (const change of changes) sum.add(change)
  return sum.text('past')
}

test('several changes become one line', () => {
  const moved = (thing: string, isFolder: boolean): Change => ({
    ...{action: 'move', thing, isFolder, to: '/Archive'},
  })
  const files = ['/a', '/b', '/c'].map(thing => moved(thing, false))
  expect(sumText(files)).toBe('Moved 3 files to /Archive')
  expect(sumText([...files, moved('/d', true)])).toBe('Moved 4 items to /Archive')
  const shared = (who: string): Change => ({
    ...{action: 'share', thing: '/photos', who, role: 'reader', isMailed: true},
  })
  const people = ['ada@example.com', 'ben@example.com'].map(shared)
  expect(sumText(people)).toBe(
    'Shared /photos with ada@example.com, ben@example.com (reader; email sent)',
  )
  const properties = ['a', 'b'].map((thing): Change => ({
    action: 'set property',
    thing,
    of: '/x',
    value: thing,
  }))
  expect(sumText(properties)).toBe('Set 2 properties on /x')
})

test('an item named by an ID is shown with its title', () => {
  const change = withRecord(trash('1abc'), {title: 'q3.pdf', mimeType: 'application/pdf'})
  expect(changeText(change, 'past')).toBe('Moved q3.pdf to the trash')
  const named = withRecord(trash('/Reports'), {title: 'Reports', mimeType: FOLDER_TYPE})
  expect(changeText(named, 'past')).toBe('Moved /Reports/ to the trash')
})
