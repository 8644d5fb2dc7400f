import {expect, test} from 'vitest'
import type {Context} from '#lib/cli/context/context.js'
import {checkedPlan} from '#lib/cli/guard/policy-check.js'
import type {ProposedChange} from '#lib/policy/judge.js'

test('a stream whose changes can be read separately is checked without reading its steps', async () => {
  const groups: number[] = []
  const policy = async () => ({
    plan: () => ({add: async (changes: readonly ProposedChange[]) => groups.push(changes.length)}),
  })
  const context = {policy, options: {dryRun: false}} as unknown as Context
  async function* steps(): AsyncGenerator<object> {
    yield expect.unreachable()
  }
  async function* changes(): AsyncGenerator<ProposedChange> {
    for (let index = 0; index < 250; index++) {
      yield {id: 'files.trash', input: {params: {fileId: `f${index}`}}}
    }
  }
  const plan = steps()
  expect(await checkedPlan(context, plan, async () => undefined, changes)).toBe(plan)
  expect(groups).toEqual([100, 100, 50])
})
