import {expect, test} from 'vitest'
import {
  checkRevision,
  chosenRevision,
  keptCount,
  prunedRevisions,
  trashPath,
} from '#lib/cli/verbs/content/revisions.js'

const all = [{id: 'x1'}, {id: '3', pinned: true}, {id: 'x3'}, {id: 'x4'}]

test.each([
  ['x3', 'x3'],
  ['head~1', 'x3'],
  ['head~3', 'x1'],
  ['head~4', undefined],
  ['1', 'x1'],
  // An ID takes precedence over a position.
  ['3', '3'],
  ['4', 'x4'],
  ['5', undefined],
  ['none', undefined],
])('revision %s is %s', (wanted, id) => expect(chosenRevision(all, wanted)?.id).toBe(id))

test.each(['head', 'head~0', 'head~', 'a b', '', 'HEAD^'])(
  '%j is not an older revision',
  wanted => {
    expect(() => checkRevision(wanted)).toRead()
  },
)

test.each(['head~1', '2', 'ravyQkX5SG-hR8pvHWPZnxbPWj02'])('%s is accepted as a revision', wanted =>
  expect(() => checkRevision(wanted)).not.toThrow(),
)

test.each([
  [1, ['x1', 'x3']],
  [2, ['x1']],
  [3, []],
  [9, []],
])('of three unpinned revisions, %i are kept', (keep, gone) =>
  expect(prunedRevisions(all, keep).map(({id}) => id)).toEqual(gone),
)

test.each(['0', '-1', '1.5', 'all', ''])('--keep %s is invalid', text => {
  expect(() => keptCount(text)).toRead()
})

test.each([
  ['/a/b.txt', 'trash:/a/b.txt'],
  ['/a/', 'trash:/a/'],
  ['drive:Finance/2025.csv', 'trash:/2025.csv'],
  ['trash:/b.txt', 'trash:/b.txt'],
  ['1ehTcHtHwB49l40JcN7iVBGDZxK1Kt1N4', '1ehTcHtHwB49l40JcN7iVBGDZxK1Kt1N4'],
  ['/', '/'],
])('%s is resolved as %s', (word, found) => expect(trashPath(word)).toBe(found))
