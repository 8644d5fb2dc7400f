import {expect, test} from 'vitest'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {createPlanSummary} from '#lib/cli/plan-file/summary.js'

const step = (more: Partial<PlanStep>): PlanStep => ({
  ...{key: '1', action: 'x', label: 'x', effect: 'changes'},
  ...more,
})
const MIB = 1024 * 1024

test.each([
  ['no changes', []],
  ['1 to create', [step({operation: 'files.insert'})]],
  [
    '1 to create, 1 to change, 1 to trash, 3.0 MiB to upload',
    [
      step({operation: 'files.trash'}),
      step({operation: 'files.insert', local: {path: 'a', size: MIB, md5: ''}}),
      step({operation: 'files.update', local: {path: 'b', size: 2 * MIB, md5: ''}}),
    ],
  ],
  [
    '2 to create, 1 to change, 1 to remove, 1.0 KiB to download',
    [
      step({here: 'mkdir', output: {path: 'd', overwrite: false}}),
      step({operation: 'files.get', output: {path: 'a', overwrite: false, size: 1000}}),
      step({operation: 'files.get', output: {path: 'b', overwrite: true, size: 24}}),
      step({here: 'remove', output: {path: 'c', overwrite: false}}),
    ],
  ],
  [
    '1 to change, 1 to restore, 1 to share, 1 to unshare, 2 to delete',
    [
      step({operation: 'permissions.insert'}),
      step({operation: 'permissions.patch'}),
      step({operation: 'permissions.delete'}),
      step({operation: 'files.untrash'}),
      step({operation: 'files.delete'}),
      step({operation: 'revisions.delete'}),
    ],
  ],
])('%s', (text, steps) => {
  const summary = createPlanSummary()
  for (const one of steps) summary.add(one)
  expect(summary.text()).toBe(text)
  expect(summary.steps).toBe(steps.length)
})

test('a programmatic record keeps its keys', () => {
  const summary = createPlanSummary()
  summary.add(step({operation: 'permissions.delete'}))
  expect(summary.record()).toEqual({steps: 1, 'stop sharing': 1})
})

test('large numbers have separators, and programs get numbers', () => {
  const summary = createPlanSummary()
  for (let index = 0; index < 1200; index++) summary.add(step({operation: 'files.trash'}))
  summary.add(step({operation: 'files.insert', local: {path: 'a', size: 5, md5: ''}}))
  expect(summary.text()).toBe('1 to create, 1,200 to trash, 5 B to upload')
  expect(summary.record()).toEqual({steps: 1201, create: 1, trash: 1200, uploadBytes: 5})
})
