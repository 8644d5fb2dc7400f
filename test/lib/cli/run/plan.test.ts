import {expect, test} from 'vitest'
import {roundsOf, type Step} from '#lib/cli/run/plan.js'

const step = (original: string, after?: Step): Step => ({
  original,
  after,
  call: {id: 'files.insert', input: {params: {}}},
})

test('each step runs after those it depends on, and as early as possible', () => {
  const folder = step('folder')
  const inner = step('inner', folder)
  const file = step('file', inner)
  const broken = {original: 'broken', error: new Error('no')}
  const other = step('other', folder)
  const rounds = roundsOf([folder, inner, broken, file, other])
  expect(rounds.map(round => round.map(({original}) => original))).toEqual([
    ['folder', 'broken'],
    ['inner', 'other'],
    ['file'],
  ])
})
