import {expect, test} from 'vitest'
import {parseUrl} from '#lib/platform/values.js'

test('a host with an umlaut is normalized every time', () => {
  const found = Array.from({length: 20_000}, () => parseUrl('http://bücher.example')?.host)
  expect(new Set(found)).toEqual(new Set(['xn--bcher-kva.example']))
})

test.each([
  ['/a?b', 'https://x.example/c', 'https://x.example/a?b'],
  ['no address', undefined, undefined],
])('%j below %j is %j', (text, base, href) => {
  expect(parseUrl(text, base)?.href).toBe(href)
})
