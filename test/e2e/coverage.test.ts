import {readdirSync, readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {operations} from '#lib/api/operations.js'
import {kebabCase} from '#lib/platform/values.js'

test('every operation is run as a command by one of the end-to-end tests', () => {
  const folder = new URL('.', import.meta.url)
  const sources = readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter(name => name.endsWith('.test.ts'))
    .map(name => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n')
  const missing = operations
    .map(({resource, verb}) => `${resource} ${kebabCase(verb)}`)
    .filter(
      command =>
        !new RegExp(`\\b(drv|drvApart|run)\\(\\s*'${command}'|\\['${command}'`).test(sources),
    )
  expect(missing).toEqual([])
})
