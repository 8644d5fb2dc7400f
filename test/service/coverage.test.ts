import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'
import {operations, queryParameters} from '../../src/lib/api/operations.js'
import {coverageTable} from '../../src/lib/service/coverage.js'

const page = fileURLToPath(new URL('../../src/lib/service/COVERAGE.md', import.meta.url))

test('the page that the README links is the table made from the code', async () => {
  await expect(coverageTable()).toMatchFileSnapshot(page)
})

test('the table has every parameter of every operation', () => {
  const table = coverageTable()
  for (const operation of operations) {
    expect(table).toContain(operation.operationId)
    for (const [name] of queryParameters(operation)) expect(table).toContain(name)
  }
})
