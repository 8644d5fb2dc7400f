import {expect, test} from 'vitest'
import {summaryLine} from '#lib/cli/terminal/units.js'

const NONE = {
  ...{folders: 0, created: 0, replaced: 0, unchanged: 0, removed: 0, bytes: 0},
  ...{leftOut: {folders: 0, files: 0}, skipped: [], failed: []},
}
const problem = {path: 'a', reason: 'why'}

test.each([
  [
    {created: 21, bytes: 1_468_006, folders: 3, unchanged: 5, removed: 1},
    'Uploaded 21 files (1.4 MiB) and created 3 folders in 0.8 s; 5 unchanged, 1 moved to the trash.',
  ],
  [{created: 1, bytes: 3}, 'Uploaded 1 file (3 B) in 0.8 s.'],
  [{replaced: 1, bytes: 3}, 'Uploaded 1 changed file (3 B) in 0.8 s.'],
  [{created: 2, replaced: 3, bytes: 9}, 'Uploaded 2 new and 3 changed files (9 B) in 0.8 s.'],
  [{folders: 2}, 'Created 2 folders in 0.8 s.'],
  [{unchanged: 5}, 'Nothing to upload; 5 unchanged.'],
  [{unchanged: 1, removed: 1}, 'Nothing to upload; 1 unchanged, 1 moved to the trash.'],
  [{}, 'Nothing to upload.'],
  [{failed: [problem], skipped: [problem]}, 'Nothing uploaded; 1 skipped, 1 failed.'],
])('%j', (counts, line) => {
  expect(summaryLine('push', {...NONE, ...counts}, 800)).toBe(line)
})

test('a run that ended early does not say that there is nothing to do', () => {
  expect(summaryLine('push', NONE, 800, true)).toBe('Nothing uploaded.')
})

test('a download has words of its own', () => {
  const tally = {...NONE, created: 1, bytes: 3, removed: 2}
  expect(summaryLine('pull', tally, 800)).toBe(
    'Downloaded 1 file (3 B) in 0.8 s; 2 moved to .drv-trash.',
  )
})
