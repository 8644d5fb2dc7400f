import {expect, test} from 'vitest'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {isAsFound, judgeStep} from '#lib/cli/verbs/plans/judge-step.js'
import type {Page} from '#lib/client/client.js'
import {RENAME} from '../../../../support/plan.js'

const step = (fields: Partial<PlanStep>): PlanStep => ({...RENAME, body: undefined, ...fields})
const record: Page = {
  etag: '"7"',
  version: '7',
  title: 'a.txt',
  labels: {trashed: false, starred: true},
  parents: [{id: 'P1'}],
  md5Checksum: 'abc',
}

test.each<[string, Partial<PlanStep>, Page | undefined, boolean]>([
  ['the same tag', {etag: '"7"'}, record, true],
  ['the same weak tag', {etag: 'W/"7"'}, record, true],
  ['another tag', {etag: '"8"'}, record, false],
  ['the same version', {found: {version: '7'}}, record, true],
  ['another version', {found: {version: '6'}}, record, false],
  ['the same inner field', {found: {labels: {trashed: false}}}, record, true],
  ['another inner field', {found: {labels: {trashed: true}}}, record, false],
  ['no item', {etag: '"7"'}, undefined, false],
])('as found: %s', (_, fields, found, isSame) => {
  expect(isAsFound(step(fields), found)).toBe(isSame)
})

test.each<[string, Partial<PlanStep>, Page | undefined, string]>([
  ['a title that it has', {body: {title: 'a.txt'}}, record, 'done'],
  ['another title', {body: {title: 'b.txt'}}, record, 'the item changed after the plan was made'],
  ['a star that it has', {body: {labels: {starred: true}}}, record, 'done'],
  ['a field to clear that it does not have', {body: {description: null}}, record, 'done'],
  ['a move that is done', {params: {addParents: 'P1', removeParents: 'P0'}}, record, 'done'],
  [
    'a move that is not',
    {params: {addParents: 'P2'}},
    record,
    'the item changed after the plan was made',
  ],
  ['a removal of what is gone', {operation: 'files.delete'}, undefined, 'done'],
  ['a change of what is gone', {body: {title: 'b'}}, undefined, 'the item no longer exists'],
  ['a removal of what is trashed', {operation: 'files.trash'}, {labels: {trashed: true}}, 'done'],
  [
    'a change of what is trashed',
    {body: {title: 'b'}},
    {labels: {trashed: true}},
    'the item is in the trash',
  ],
  ['a restored item', {operation: 'files.untrash'}, record, 'done'],
  ['a hidden drive', {operation: 'drives.hide'}, {hidden: true}, 'done'],
  ['a drive that is no longer hidden', {operation: 'drives.unhide'}, {hidden: false}, 'done'],
  [
    'content that it has',
    {operation: 'files.update', local: {path: 'a', size: 1, md5: 'abc'}},
    record,
    'done',
  ],
  [
    'other content',
    {operation: 'files.update', local: {path: 'a', size: 1, md5: 'x'}},
    record,
    'the item changed after the plan was made',
  ],
  [
    'a request that leaves no trace',
    {operation: 'files.touch'},
    record,
    'the item changed after the plan was made',
  ],
])('judges %s', (_, fields, found, verdict) => {
  const judged = judgeStep(step(fields), found)
  expect(typeof judged === 'string' ? judged : judged.conflict).toBe(verdict)
})
