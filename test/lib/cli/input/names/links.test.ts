import {expect, test} from 'vitest'
import {linkIn} from '#lib/cli/input/names/links.js'

test.each([
  ['https://files.example.com/d/1?usp=x#top', 'https://files.example.com/d/1?usp=x#top'],
  [
    'https://x.example/\nhttps://y.example/\u001b]0;x\u0007',
    'https://x.example/https://y.example/%1B]0;x',
  ],
  ['https://x.example/a\r\nb\tc?d\ne#f\u0085\u202e', 'https://x.example/abc?de#f%C2%85%E2%80%AE'],
  ['http://bücher.example', 'http://xn--bcher-kva.example/'],
])('the URL %j is one line, as a browser reads it', (alternateLink, link) => {
  expect(linkIn({alternateLink})).toBe(link)
})

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'https://bank.example@evil.example/',
  '',
  7,
])('%j is not a URL of a page', alternateLink => {
  expect(() => linkIn({alternateLink})).toRead()
})
