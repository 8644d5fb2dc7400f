import {expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {refuseUnreadableQuery} from '#lib/cli/input/query-check.js'
import type {UsageError} from '#lib/cli/terminal/errors.js'

const files = operation('files.list')
const drives = operation('drives.list')

function refusal(text: string, asked = files): UsageError | undefined {
  try {
    refuseUnreadableQuery(asked, text)
    return undefined
  } catch (error) {
    return error as UsageError
  }
}

/** The query from the caret on, and the hint. */
function explained(text: string, asked = files) {
  const {lines, hint} = refusal(text, asked)!
  return [lines[0]!.slice(lines[1]!.indexOf('^')), hint]
}

test.each([
  ["title contans 'report'", "contans 'report'"],
  ["titel contains 'report'", "titel contains 'report'"],
  ["title = 'a' nad trashed = false", 'nad trashed = false'],
  ["nott title = 'a'", "nott title = 'a'"],
  ["'x' inn parents", 'inn parents'],
  ["'x' in parent", 'parent'],
  ["'me' in owner", 'owner'],
  ["'x' in title", 'title'],
  ["parents = 'x'", "parents = 'x'"],
  ["fullText = 'x'", "= 'x'"],
  ['title contains report', 'report'],
  ["title == 'a'", "= 'a'"],
  ["trashed = 'false'", "'false'"],
  ['trashed = flase', 'flase'],
  ['modifiedDate > 2026-01-31', '2026-01-31'],
  ["visibility = 'limitd'", "'limitd'"],
  ["title = 'a", "'a"],
  [String.raw`title = 'C:\temp'`, String.raw`\temp'`],
  ["properties has {key='k' nad value='v'}", "nad value='v'}"],
  ["properties has {kye='k'}", "kye='k'}"],
  ["(title = 'a'", ''],
])('%s', (text, expected) => {
  const [atCaret, hint] = explained(text)
  expect(atCaret).toBe(expected)
  expect(hint).toRead()
})

test('the fields of shared drives are their own', () => {
  expect(explained("title contains 'x'", drives)[1]).toBe('Did you mean "name"?')
  expect(explained("q contains 'x'", drives)[1]).toRead()
  expect(refusal("name contains 'x' and memberCount > 3 and hidden", drives)).toBeUndefined()
  expect(explained("memberCount > '3'", drives)[0]).toBe("'3'")
})

test.each([
  "title contains 'a' and (trashed = false or starred) and not 'root' in parents",
  'sharedWithMe and modifiedDate >= "2026-01-31T12:00:00+01:00"',
  "properties has {key='k' and value='v' and visibility='PUBLIC'}",
  "labels/one.two = 3 and 'x' in labels/one.two and 'labels/one' in labels",
  "visibility != 'limited' and shortcutDetails.targetId = 'x'",
  '',
])('is valid: %s', text => {
  expect(refusal(text)).toBeUndefined()
})

test('the caret is below the error, whatever the width of the characters before it', () => {
  expect(refusal("title = '資料\n' nad starred")!.lines).toEqual([
    "title = '資料 ' nad starred",
    '                ^',
  ])
})

test('for a long query, only the part around the error is shown', () => {
  const long = `${Array.from({length: 50}, (_, index) => `title = '${index}'`).join(' or ')} nad starred`
  const [shown = '', caret = ''] = refusal(long)!.lines
  expect(shown.length).toBeLessThan(80)
  expect(shown.slice(caret.indexOf('^'))).toBe('nad starred')
})

test('the message contains no control characters', () => {
  const {message, lines} = refusal('title = \u001B[31m')!
  expect([message, ...lines].join('')).not.toContain('\u001B')
})
