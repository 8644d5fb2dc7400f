import {expect, onTestFinished, test, vi} from 'vitest'
import {compileJq} from '#lib/cli/output/jq.js'

test('a value too large for jq gets advice how to reduce it', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  const jq = await compileJq('"0123456789" * .', false)
  expect(jq('2')).toBe('01234567890123456789\n')
  const tooLarge = () => jq('300000000')
  expect(tooLarge).toThrow(
    expect.objectContaining({exit: 'failed', hint: expect.stringContaining('--format ndjson')}),
  )
  expect(tooLarge).toRead()
  expect(said).not.toHaveBeenCalled()
})

test('each value has its own line where each record has one', async () => {
  const compact = await compileJq('{id, labels}', true)
  expect(compact('{"id": 1, "labels": {"a": true}}{"id": 2}')).toBe(
    '{"id":1,"labels":{"a":true}}\n{"id":2,"labels":null}\n',
  )
  const spread = await compileJq('{id}', false)
  expect(spread('{"id": 1}')).toBe('{\n  "id": 1\n}\n')
})
