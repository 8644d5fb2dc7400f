import {describe, expect, test} from 'vitest'
import {copiesBy, withExports} from '#lib/transfer/remote/exports.js'
import type {
  LocalEntry,
  LocalFolder,
  RemoteEntry,
  RemoteFolder,
} from '#lib/transfer/tree/entries.js'
import {planPull, planPush} from './whole-plans.js'

const rules = {isWindows: false, isCaseSensitive: true}
const endings = (type: string) => [type]
const isCopy = copiesBy(endings, rules)
const MODIFIED = 1_700_000_000_123

const document: RemoteEntry = {
  kind: 'other',
  id: 'ID',
  title: 'Report',
  what: 'an editor document',
  exports: ['docx', 'pdf'],
  modified: MODIFIED,
}
const file = (title: string): RemoteEntry => ({kind: 'file', id: 'f', title, size: 1, md5: 'sum'})
const copy = (name: string, modified = MODIFIED): LocalEntry => ({
  kind: 'file',
  name,
  path: `/local/${name}`,
  size: 100,
  modified,
})
const here = (...entries: LocalEntry[]): LocalFolder => ({
  kind: 'folder',
  name: '',
  path: '/local',
  entries,
})
const there = (...entries: RemoteEntry[]): RemoteFolder => ({
  kind: 'folder',
  id: 'top',
  title: '',
  entries,
})
const told = (steps: ReadonlyArray<{action: string; path: string}>) =>
  steps.map(({action, path}) => `${action} ${path}`)

describe('pull', () => {
  const plan = (formats: string[], local: LocalEntry[], mirror = true) => {
    const remote = withExports(there(document), formats, endings, rules)
    return told(planPull(remote, here(...local), {mirror, rules, isCopy}).steps)
  }

  test.each<[string, string[], LocalEntry[], string[]]>([
    ['a document comes down as a file', ['docx'], [], ['download Report.docx']],
    ['once', ['docx'], [copy('Report.docx')], ['same Report.docx']],
    ['as disks keep times', ['docx'], [copy('Report.docx', MODIFIED - 1)], ['same Report.docx']],
    ['again when it has changed', ['docx'], [copy('Report.docx', 5)], ['replace Report.docx']],
    [
      'a mirror keeps copies in other formats',
      ['docx'],
      [copy('Report.docx'), copy('Report.pdf')],
      ['same Report.docx'],
    ],
    ['and without any format', [], [copy('Report.docx')], ['skip Report']],
    [
      'but nothing else',
      ['docx'],
      [copy('Other.docx')],
      ['download Report.docx', 'remove Other.docx'],
    ],
  ])('%s', (_, formats, local, steps) => {
    expect(plan(formats, local)).toEqual(steps)
  })
})

describe('push', () => {
  const plan = (local: LocalEntry[], remote: RemoteEntry[], mirror = false) =>
    told(planPush(here(...local), there(...remote), {mirror, isCopy}).steps)

  test.each<[string, LocalEntry[], RemoteEntry[], boolean, string[]]>([
    [
      'a copy is never taken for the document',
      [copy('Report.docx')],
      [document],
      false,
      ['skip Report.docx'],
    ],
    ['nor one with a number', [copy('Report (1).pdf')], [document], false, ['skip Report (1).pdf']],
    ['without the document it is a file', [copy('Report.docx')], [], false, ['upload Report.docx']],
    [
      'what the service has as a file too is that file',
      [copy('Report.docx')],
      [document, file('Report.docx')],
      false,
      ['replace Report.docx'],
    ],
    [
      'a mirror keeps the document that a copy stands for',
      [copy('Report.docx')],
      [document],
      true,
      ['skip Report.docx'],
    ],
    ['and any other, because a pull can leave it out', [], [document], true, ['skip Report']],
  ])('%s', (_, local, remote, mirror, steps) => {
    expect(plan(local, remote, mirror)).toEqual(steps)
  })
})
