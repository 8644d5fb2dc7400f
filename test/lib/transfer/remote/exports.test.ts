import {describe, expect, test} from 'vitest'
import {copiesBy, endingsFor, exportedFile, withExports} from '#lib/transfer/remote/exports.js'
import type {RemoteEntry, RemoteFolder, RemoteOther} from '#lib/transfer/tree/entries.js'

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const PDF = 'application/pdf'

const document = (title: string, id = `id-${title}`, exports = [PDF, WORD]): RemoteOther => ({
  kind: 'other',
  id,
  title,
  what: 'an editor document',
  exports,
  modified: 7,
})
const file = (title: string): RemoteEntry => ({kind: 'file', id: `f-${title}`, title, size: 1})
const folder = (...entries: RemoteEntry[]): RemoteFolder => ({
  kind: 'folder',
  id: 'top',
  title: 'top',
  entries,
})
const rules = {isWindows: false, isCaseSensitive: true}
const endings = await endingsFor(folder(document('x')))

test('a tree without documents needs no formats', async () => {
  expect((await endingsFor(folder(file('a'))))(PDF)).toEqual([])
  expect(endings(PDF)).toEqual(['pdf'])
})

test.each<[string, string[], string | undefined]>([
  ['the first that is offered', ['xlsx', 'docx', 'pdf'], WORD],
  ['in the order of the person', ['pdf', 'docx'], PDF],
  ['none', ['xlsx'], undefined],
])('a document comes down as %s', (_, formats, type) => {
  expect(exportedFile(document('Report'), formats, endings)?.exported?.type).toBe(type)
})

test.each([
  [[], 'it is an editor document; use --export pdf,docx to download a copy'],
  [['txt', 'xlsx'], 'the service can export it as pdf, docx, but not as txt, xlsx'],
])('a document that stays says in which formats it can be had: %j', (formats, reason) => {
  const {entries} = withExports(folder(document('Report')), formats, endings, rules)
  expect(entries).toMatchObject([{kind: 'other', reason}])
})

const titlesOf = (formats: string[], ...entries: RemoteEntry[]) =>
  withExports(folder(...entries), formats, endings, rules).entries!.map(({title}) => title)

describe('the name of an export', () => {
  test('tells by its ending what was told by the kind', () => {
    const sheet = document('Budget', 'sheet', [SHEET])
    expect(titlesOf(['docx', 'xlsx'], document('Budget', 'doc'), sheet)).toEqual([
      'Budget.docx',
      'Budget.xlsx',
    ])
  })

  test('has an ending once', () => {
    expect(titlesOf(['docx'], document('Old.docx'))).toEqual(['Old.docx'])
  })

  test('leaves to a file its own, and has its ID in it then', () => {
    const given = [document('Report', 'ID7'), file('Report.docx')]
    expect(titlesOf(['docx'], ...given)).toEqual(['Report (ID7).docx', 'Report.docx'])
  })

  test('what is not offered stays a document', () => {
    expect(titlesOf(['odt'], document('Report'))).toEqual(['Report'])
  })
})

test.each([
  ['Report.docx', true],
  ['Report.pdf', true],
  ['Report (ID7).docx', true],
  ['Report (2).docx', true],
  ['Report.xlsx', false],
  ['Report', false],
  ['Report (other).docx', false],
  ['Reports.docx', false],
])('%s is a copy of the document Report: %s', (name, is) => {
  expect(copiesBy(endings, rules)(document('Report', 'ID7'), name)).toBe(is)
})
