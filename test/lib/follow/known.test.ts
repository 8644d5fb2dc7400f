import {describe, expect, test} from 'vitest'
import {
  type ChangeKind,
  type ItemState,
  itemStateOf,
  kindsOf,
  pathRecordOf,
} from '#lib/follow/known.js'

const known: ItemState = {
  title: 'a.txt',
  mimeType: 'text/plain',
  parents: ['folder'],
  content: 'abc',
  size: 3,
  access: ['1:owner'],
  version: '5',
  isSeen: true,
}
const trashed = {isTrashed: true} as const
const at = {isNew: false, isComplete: true}

describe('kinds', () => {
  test.each<[kinds: ChangeKind[], after: Partial<ItemState>, before?: Partial<ItemState>]>([
    [['renamed'], {title: 'b.txt'}],
    [['moved'], {parents: ['other']}],
    [['moved'], {parents: ['folder', 'other']}],
    [['content'], {content: 'def'}],
    [['shared'], {access: ['1:owner', '2:reader']}],
    [['shared'], {access: ['1:writer']}],
    [['unshared'], {access: []}],
    [['trashed'], trashed],
    [['restored'], {}, trashed],
    [['metadata'], {}],
    [['metadata'], {access: undefined}],
    [['moved', 'renamed', 'content'], {title: 'b.txt', parents: ['x'], content: 'def'}],
    // An editor document has a time in place of a checksum.
    [['content'], {content: '2026-02-02T10:00:00Z'}, {content: '2026-01-01T10:00:00Z'}],
    [['renamed'], {title: 'b', content: '2026-02-02T10:00:00Z'}, {content: '2026-01-01T10:00:00Z'}],
    // What was handed over is not handed over again.
    [[], {version: '5'}],
    // What was looked up after the change says nothing about what was before.
    [['changed'], {version: '5'}, {isSeen: undefined}],
    // A folder that came back.
    [['moved'], {}, {isGone: true}],
  ])('%j', (kinds, after, before) => {
    const now = {...known, version: '6', ...after}
    expect(kindsOf({...known, ...before}, now, at)).toEqual(kinds)
  })

  test.each([
    ['created', true, true],
    ['created', true, false],
    ['moved', false, true],
    ['changed', false, false],
  ] as const)('an unknown item is %s', (kind, isNew, isComplete) => {
    expect(kindsOf(undefined, known, {isNew, isComplete})).toEqual([kind])
  })

  test('an item that no longer exists is removed, once', () => {
    expect(kindsOf(known, undefined, at)).toEqual(['removed'])
    expect(kindsOf(undefined, undefined, at)).toEqual(['removed'])
    expect(kindsOf({...known, isGone: true}, undefined, at)).toEqual([])
  })

  test('an item can be created and trashed in one change', () => {
    const state = {...known, ...trashed}
    expect(kindsOf(undefined, state, {isNew: true, isComplete: true})).toEqual([
      'created',
      'trashed',
    ])
  })
})

test('a state has what a record says', () => {
  const record = {
    id: 'x',
    title: 'a.txt',
    mimeType: 'text/plain',
    parents: [{id: 'z'}, {id: 'top', isRoot: true}],
    labels: {trashed: true},
    md5Checksum: 'abc',
    modifiedDate: '2026-01-01T00:00:00Z',
    fileSize: '3',
    version: '5',
    permissions: [
      {id: '2', role: 'reader', additionalRoles: ['commenter']},
      {id: '1', role: 'owner'},
    ],
  }
  const state = itemStateOf(record)
  expect(state).toEqual({
    title: 'a.txt',
    mimeType: 'text/plain',
    parents: ['top', 'z'],
    root: 'top',
    isTrashed: true,
    content: 'abc',
    size: 3,
    access: ['1:owner', '2:reader+commenter'],
    version: '5',
  })
  expect(pathRecordOf('x', state)).toEqual({
    id: 'x',
    title: 'a.txt',
    labels: {trashed: true},
    parents: [
      {id: 'top', isRoot: true},
      {id: 'z', isRoot: false},
    ],
  })
  expect(itemStateOf({permissionIds: ['2', '1']}).access).toEqual(['1', '2'])
})
