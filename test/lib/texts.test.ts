import {expect, test} from 'vitest'
import {masked, readRoom, readsTexts, render, roomOf, roomsThere} from '../support/texts.js'

test('each entry belongs to a test that reads texts', () => {
  const keys = roomsThere().flatMap(room => [...readRoom(room).keys()])
  expect(keys.filter(key => !readsTexts(key))).toEqual([])
})

test.each([
  ['/repo/test/lib/cli/guard/impact.test.ts', 'lib-cli-guard'],
  ['/repo/test/lib/cli/input/names/who.test.ts', 'lib-cli-input'],
  ['/repo/test/lib/client/transport/waits.test.ts', 'lib-client'],
  ['/repo/test/e2e/files/cat.test.ts', 'e2e-files'],
  ['/repo/test/service/files.test.ts', 'service'],
])('%s is in the room %s', (file, room) => {
  expect(roomOf(file)).toBe(room)
})

test.each([
  ['http://127.0.0.1:45123/x', 'http://127.0.0.1:$PORT/x'],
  ['until 2026-11-23T13:15:21.123Z.', 'until $TIME.'],
  ['no file 1z1UemAbCdEfGhIjKlMnOpQrStUv.', 'no file $ID.'],
  ['no file 1y7M-UemABcDeFgHIjKlMnOpQrStUv.', 'no file $ID.'],
  ['--if-exists replace-with-something-else', '--if-exists replace-with-something-else'],
])('%s reads %s', (text, expected) => {
  expect(masked(text)).toBe(expected)
})

test('a file holds its entries in the order of their keys', () => {
  const entries = ['b', 'a'].map(key => ({room: 'x', key, text: `text of ${key}`}))
  expect(render('x', entries)).toBe(
    '# Texts of x\n\n## a\n\n````text\ntext of a\n````\n\n## b\n\n````text\ntext of b\n````\n',
  )
})
