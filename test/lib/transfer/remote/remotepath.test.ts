import {describe, expect, test} from 'vitest'
import {parseRemotePath, type Start} from '#lib/transfer/remote/remote-path.js'
import {failureText} from '../../../support/failure-text.js'

const myDrive: Start = {in: 'myDrive'}
const id = (text: string): Start => ({in: 'id', id: text})

describe('an argument that names a file', () => {
  test.each<[text: string, start: Start, names: string[], isContents?: boolean]>([
    ['/', myDrive, [], true],
    ['root', myDrive, [], true],
    ['root/Reports', myDrive, ['Reports']],
    ['/Reports', myDrive, ['Reports']],
    ['/Reports/2026/', myDrive, ['Reports', '2026'], true],
    [`/it's "so" \\ 2026/%41?#.txt`, myDrive, [`it's "so" \\ 2026`, '%41?#.txt']],
    ['/ blank ', myDrive, [' blank ']],
    ['/trash:/a', myDrive, ['trash:', 'a']],
    ['1abc', id('1abc'), []],
    ['a', id('a'), []],
    ['-_', id('-_'), []],
    ['1abc/', id('1abc'), [], true],
    ['1abc/Reports', id('1abc'), ['Reports']],
    ['id:a.b', id('a.b'), []],
    ['id:root', id('root'), []],
    ['drive:Finance', {in: 'drive', name: 'Finance'}, []],
    ['drive:My Team: a/2026/q3.pdf', {in: 'drive', name: 'My Team: a'}, ['2026', 'q3.pdf']],
    ['trash:/old.txt', {in: 'trash'}, ['old.txt']],
    ['trash:old.txt', {in: 'trash'}, ['old.txt']],
    ['trash:/Reports/old.txt', {in: 'trash'}, ['Reports', 'old.txt']],
    ['shared:/From Ann/', {in: 'shared'}, ['From Ann'], true],
  ])('%s', (text, start, names, isContents = false) => {
    expect(parseRemotePath(text)).toEqual({start, names, isContents, text})
  })

  test.each([
    ['https://drive.example.com/file/d/1a-b_C/view?usp=sharing#page=2', '1a-b_C'],
    ['https://drive.example.com/drive/u/0/folders/1abc', '1abc'],
    ['https://drive.example.com/drive/folders/1abc?resourcekey=x', '1abc'],
    ['https://docs.example.com/document/d/1abc/edit', '1abc'],
    ['https://docs.example.com/spreadsheets/u/1/d/1abc/edit#gid=0', '1abc'],
    ['https://drive.example.com/open?id=1abc&authuser=0', '1abc'],
    ['https://drive.example.com/uc?export=download&id=1abc', '1abc'],
    ['http://127.0.0.1:8085/open/1abc', '1abc'],
    ['https://api.example.com/drive/v2/files/1abc', '1abc'],
    ['https://api.example.com/drive/v2/files/1abc/parents/2def', '1abc'],
    ['HTTPS://drive.example.com/file/d/1abc', '1abc'],
  ])('the link %s', (link, fileId) => {
    expect(parseRemotePath(link)).toEqual({
      start: id(fileId),
      names: [],
      isContents: false,
      text: link,
    })
  })

  test.each([
    '',
    '.',
    '../a',
    '//',
    '/a//b',
    '/a/../b',
    '/./a',
    'drive:',
    'drive:Finance//a',
    'trash:',
    'shared:/',
    'report.pdf',
    'a.b',
    'Reports 2026/a',
    'https://example.com/',
    'https://example.com/file/d/a%2Fb/view',
    'https://',
    'id:',
    'id:trash',
    'trash',
    'id:..',
    'https://example.com/files/trash',
  ])('not %j', async text => {
    expect(await failureText(() => parseRemotePath(text))).toRead()
  })
})
