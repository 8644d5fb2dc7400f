import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {
  patternFilter,
  readDependencies,
  readShard,
  selectKeys,
} from '#lib/cli/verbs/plans/selection.js'
import {RENAME} from '../../../../support/plan.js'

const folder = (key: number, after: readonly number[] = []): PlanStep => ({
  ...{key: String(key), action: 'folder', label: `f${key}`, effect: 'changes'},
  ...{operation: 'files.insert', params: {}},
  body: {id: `F${key}`, mimeType: FOLDER_TYPE},
  after: after.map(String),
})
const other = (key: number, after: readonly number[] = [], label = '/a.txt'): PlanStep => ({
  ...RENAME,
  ...{key: String(key), label, after: after.map(String)},
})

function stepsOf(all: readonly PlanStep[]) {
  return async function* () {
    yield* all
  }
}

/** The keys of each of some shards. */
async function shardsOf(all: readonly PlanStep[], count: number): Promise<number[][]> {
  const steps = stepsOf(all)
  const dependencies = await readDependencies(steps, () => undefined)
  const shards: number[][] = []
  for (let index = 1; index <= count; index++) {
    const keys = await selectKeys(steps, dependencies, {shard: {index, count}})
    shards.push(all.map(({key}) => Number(key)).filter(key => keys.has(key)))
  }
  return shards
}

test('independent steps are spread evenly', async () => {
  const all = [1, 2, 3, 4, 5].map(key => other(key))
  expect(await shardsOf(all, 2)).toEqual([
    [1, 3, 5],
    [2, 4],
  ])
})

test('a folder is created by each shard that needs it, with its parents', async () => {
  const all = [folder(1), folder(2, [1]), other(3, [2]), other(4, [2]), other(5)]
  expect(await shardsOf(all, 3)).toEqual([
    [1, 2, 4],
    [1, 2, 5],
    [1, 2, 3],
  ])
})

test('other steps stay with the steps they depend on', async () => {
  const all = [other(1), other(2), other(3, [2]), other(4, [3]), other(5, [1, 4]), other(6)]
  expect(await shardsOf(all, 2)).toEqual([[1, 2, 3, 4, 5], [6]])
})

test('in any plan, each step is in one shard, with all steps it depends on', async () => {
  const links = fc.array(fc.tuple(fc.boolean(), fc.array(fc.nat(30), {maxLength: 3})), {
    minLength: 1,
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(links, fc.integer({min: 1, max: 6}), async (given, count) => {
      const all = given.map(([isFolder, before], index) => {
        const after = [...new Set(before)].filter(key => key >= 1 && key <= index)
        return isFolder ? folder(index + 1, after) : other(index + 1, after)
      })
      const shards = await shardsOf(all, count)
      for (const step of all) {
        const key = Number(step.key)
        const homes = shards.filter(keys => keys.includes(key))
        expect(homes.length).toBeGreaterThan(0)
        const isShared = step.operation === 'files.insert'
        if (!isShared) expect(homes).toHaveLength(1)
        for (const keys of homes) {
          for (const before of step.after ?? []) expect(keys).toContain(Number(before))
        }
      }
    }),
    {numRuns: 300},
  )
})

describe('--only', () => {
  const matches = (pattern: string, step: Partial<PlanStep>) =>
    patternFilter(pattern)({...RENAME, ...step})
  test.each([
    ['*.html', {label: 'sub/a.html'}, true],
    ['*.html', {label: 'sub/a.css'}, false],
    ['sub', {label: 'sub/deep/a.css'}, true],
    ['/Site/css', {label: 'a.css', path: '/Site/css/a.css'}, true],
    ['/css', {label: 'a.css', path: '/Site/css/a.css'}, false],
    ['!x', {label: '!x'}, true],
    ['*', {label: '/'}, false],
  ])('%s of %o is %s', async (pattern, step, isMatch) => {
    expect(await matches(pattern, step)).toBe(isMatch)
  })

  test('selects a step with all steps it depends on', async () => {
    const steps = stepsOf([
      other(1, [], 'x'),
      folder(2),
      other(3, [1, 2], 'a.html'),
      other(4, [], 'b'),
    ])
    const dependencies = await readDependencies(steps, () => undefined)
    const keys = await selectKeys(steps, dependencies, {isWanted: patternFilter('*.html')})
    expect([1, 2, 3, 4].filter(key => keys.has(key))).toEqual([1, 2, 3])
  })
})

test.each(['0/8', '9/8', '1', '1/0', 'a/b', '1/99999', '-1/2', ' 1/2'])(
  '--shard %s is refused',
  text => {
    expect(() => readShard(text)).toThrow('--shard')
  },
)
