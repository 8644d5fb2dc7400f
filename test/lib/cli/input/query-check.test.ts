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

/** What stands at the caret, and the hint. */
function told(text: string, asked = files) {
  const {lines, hint} = refusal(text, asked)!
  return [lines[0]!.slice(lines[1]!.indexOf('^')), hint]
}

test.each([
  ["title contans 'report'", "contans 'report'", 'Did you mean contains?'],
  ["titel contains 'report'", "titel contains 'report'", 'Did you mean title?'],
  ["title = 'a' nad trashed = false", 'nad trashed = false', 'Did you mean and?'],
  ["nott title = 'a'", "nott title = 'a'", 'Did you mean not?'],
  ["'x' inn parents", 'inn parents', 'Did you mean in?'],
  ["'x' in parent", 'parent', 'Did you mean parents?'],
  ["'me' in owner", 'owner', 'Did you mean owners?'],
  ["'x' in title", 'title', 'What may stand there: parents, owners, writers, readers, labels.'],
  ["parents = 'x'", "parents = 'x'", "What may stand there: 'x' in parents."],
  ["fullText = 'x'", "= 'x'", 'What may stand there: contains.'],
  ['title contains report', 'report', 'What may stand there: a text in quotes.'],
  ["title == 'a'", "= 'a'", 'What may stand there: a text in quotes.'],
  ["trashed = 'false'", "'false'", 'What may stand there: true or false.'],
  ['trashed = flase', 'flase', 'What may stand there: true or false.'],
  [
    'modifiedDate > 2026-01-31',
    '2026-01-31',
    "What may stand there: a time in quotes such as '2026-01-31T12:00:00Z'.",
  ],
  ["visibility = 'limitd'", "'limitd'", "Did you mean 'limited'?"],
  ["title = 'a", "'a", 'A quote ends that text, of the kind it begins with.'],
  [
    String.raw`title = 'C:\temp'`,
    String.raw`\temp'`,
    String.raw`In quotes a backslash is \\, and a quote \'.`,
  ],
  ["properties has {key='k' nad value='v'}", "nad value='v'}", 'Did you mean and?'],
  ["properties has {kye='k'}", "kye='k'}", 'Did you mean key?'],
  ["(title = 'a'", '', 'What may stand there: and, or, ).'],
])('%s', (text, spot, hint) => {
  expect(told(text)).toEqual([spot, hint])
})

test('the fields of shared drives are their own', () => {
  expect(told("title contains 'x'", drives)[1]).toBe('Did you mean name?')
  expect(told("q contains 'x'", drives)[1]).toMatch(/^What may stand there: .*name, hidden/)
  expect(refusal("name contains 'x' and memberCount > 3 and hidden", drives)).toBeUndefined()
  expect(told("memberCount > '3'", drives)).toEqual([
    "'3'",
    'What may stand there: a whole number.',
  ])
})

test.each([
  "title contains 'a' and (trashed = false or starred) and not 'root' in parents",
  'sharedWithMe and modifiedDate >= "2026-01-31T12:00:00+01:00"',
  "properties has {key='k' and value='v' and visibility='PUBLIC'}",
  "labels/one.two = 3 and 'x' in labels/one.two and 'labels/one' in labels",
  "visibility != 'limited' and shortcutDetails.targetId = 'x'",
  '',
])('is let through: %s', text => {
  expect(refusal(text)).toBeUndefined()
})

test('the caret stands under the spot, whatever the characters before it take', () => {
  expect(refusal("title = '資料\n' nad starred")!.lines).toEqual([
    "title = '資料 ' nad starred",
    '                ^',
  ])
})

test('of a long query the part around the spot is shown', () => {
  const long = `${Array.from({length: 50}, (_, index) => `title = '${index}'`).join(' or ')} nad starred`
  const [shown = '', caret = ''] = refusal(long)!.lines
  expect(shown.length).toBeLessThan(80)
  expect(shown.slice(caret.indexOf('^'))).toBe('nad starred')
})

test('what the message shows cannot steer a terminal', () => {
  const {message, lines} = refusal('title = \u001B[31m')!
  expect([message, ...lines].join('')).not.toContain('\u001B')
})
