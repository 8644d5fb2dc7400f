import {expect, test} from 'vitest'
import {matchesSent} from '#lib/client/calls.js'

const record = {id: 'x', title: 'notes', mimeType: 'text/plain', md5Checksum: 'sum'}

test.each([
  ['of the title, type and sum', record, 'sum', true],
  ['that was given another type', {...record, mimeType: 'text/x-notes'}, 'sum', true],
  ['of a title that nobody named', {}, 'sum', true],
  ['of another sum', record, 'other', false],
  ['of another title', {...record, title: 'letters'}, 'sum', false],
  ['without content', record, undefined, true],
  ['without content, of another type', {...record, mimeType: 'text/html'}, undefined, false],
])('a file %s', (_, body, md5, is) => {
  expect(matchesSent(record, {body, md5})).toBe(is)
})
