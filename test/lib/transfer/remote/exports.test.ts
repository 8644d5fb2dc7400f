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
])('a document is exported as %s', (_, formats, type) => {
  expect(exportedFile(document('Report'), formats, endings)?.exported?.type).toBe(type)
})

test.each([
  [[], 'it is an editor document; use --export pdf,docx to download a copy'],
  [['txt', 'xlsx'], 'the service can export it as pdf, docx, but not as txt, xlsx'],
])('a document that stays lists its available formats: %j', (formats, reason) => {
  const {entries} = withExports(folder(document('Report')), formats, endings, rules)
  expect(entries).toMatchObject([{kind: 'other', reason}])
})

const titlesOf = (formats: string[], ...entries: RemoteEntry[]) =>
  withExports(folder(...entries), formats, endings, rules).entries!.map(({title}) => title)

describe('the name of an export', () => {
  test('has an extension for its format', () => {
    const sheet = document('Budget', 'sheet', [SHEET])
    expect(titlesOf(['docx', 'xlsx'], document('Budget', 'doc'), sheet)).toEqual([
      'Budget.docx',
      'Budget.xlsx',
    ])
  })

  test('has an extension once', () => {
    expect(titlesOf(['docx'], document('Old.docx'))).toEqual(['Old.docx'])
  })

  test('leaves the name to a real file, and contains the ID then', () => {
    const given = [document('Report', 'ID7'), file('Report.docx')]
    expect(titlesOf(['docx'], ...given)).toEqual(['Report (ID7).docx', 'Report.docx'])
  })

  test('a format that is not offered leaves the document', () => {
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
