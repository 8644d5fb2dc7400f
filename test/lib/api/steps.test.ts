import {expect, test} from 'vitest'
import {isBelow} from '#lib/api/url-paths.js'

const BASE = 'https://host.example.com/tenant/a'

test.each([
  '/x',
  '/x/y?z=/../../..',
  '/x#/../../../b',
  '/x/../y',
  '/../a/x',
  '/./x//y/',
  '/a%2Fb',
  '/x%20y',
  '/',
  '',
])('%j stays below the base URL', path => {
  expect(isBelow(BASE, `${BASE}${path}`)).toBe(true)
})

test.each([
  '/..',
  '/../b',
  '/../ab',
  '/../A',
  '/../../../x',
  '/x/../../b',
  '/%2e%2e/b',
  '/.%2E/b',
  '/%252e%252e/b',
  '/..%2fb',
  '/..%5cb',
  '/..\\b',
  '/x%2Fy/../../b',
  '/x%252Fy/../../b',
  '/ .. /b',
  'b',
  '/../../../../../tenant/a',
])('%j does not', path => {
  expect(isBelow(BASE, `${BASE}${path}`)).toBe(false)
})

test('every path is below a URL without a path, except those that lead above it', () => {
  expect(isBelow('https://host.example.com', 'https://host.example.com/x/y')).toBe(true)
  expect(isBelow('https://host.example.com/', 'https://host.example.com/x/../y')).toBe(true)
  expect(isBelow('https://host.example.com/', 'https://host.example.com/../y')).toBe(false)
})
