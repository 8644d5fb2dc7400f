import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {operations, queryParameters} from '#lib/api/operations.js'
import {coverageTable} from '../../build/coverage.js'
import {supportOf} from '../../build/support.js'

const page = fileURLToPath(new URL('../../build/COVERAGE.md', import.meta.url))

test('the page linked in the README equals the generated table', async () => {
  await expect(coverageTable()).toMatchFileSnapshot(page)
})

test('parameters that the table calls supported are used in the code', () => {
  const source = fileURLToPath(new URL('../../src/lib/service/', import.meta.url))
  const code = readdirSync(source, {recursive: true, encoding: 'utf8'})
    .filter(name => name.endsWith('.ts') && name !== join('http', 'support.ts'))
    .map(name => readFileSync(join(source, name), 'utf8'))
    .join('\n')
  const working = operations.flatMap(operation =>
    queryParameters(operation)
      .map(([name]) => name)
      .filter(name => supportOf(operation.operationId, name).kind === 'yes'),
  )
  const unread = new Set(working.filter(name => !new RegExp(`\\b${name}\\b`).test(code)))
  expect(working.length).toBeGreaterThan(100)
  expect([...unread]).toEqual([])
})
