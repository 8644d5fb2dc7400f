import {basename} from 'node:path'
import {expect, test} from 'vitest'
import {safeFileName} from '#lib/cli/verbs/content/download.js'

test.each([
  ['report.pdf', 'report.pdf'],
  ['Jahresbericht größer als 2025.pdf', 'Jahresbericht größer als 2025.pdf'],
  ['日本語.txt', '日本語.txt'],
  ['', 'download'],
  ['   ', 'download'],
  ['.', 'download'],
  ['..', 'download'],
  ['...', 'download'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['/etc/passwd', '_etc_passwd'],
  ['C:\\Windows\\a', 'C__Windows_a'],
  ['a\0b', 'a_b'],
  ['a\u001b[31mb\r\n', 'a_[31mb__'],
  ['\u202Egpj.exe', '_gpj.exe'],
  ['.bashrc', 'bashrc'],
  ['-rf', 'rf'],
  ['~root', 'root'],
  ['name. ', 'name'],
  ['what? "really" <*>|', 'what_ _really_ ____'],
  ['CON', '_CON'],
  ['con.txt', '_con.txt'],
  ['lpt1', '_lpt1'],
  ['CONIN$.txt', '_CONIN$.txt'],
  ['a\u061cb\ud800c', 'a_b_c'],
  ['console.log', 'console.log'],
])('%j becomes %j', (title, expected) => {
  expect(safeFileName(title)).toBe(expected)
})

test.each([
  ['x'.repeat(500)],
  [`${'x'.repeat(500)}.pdf`],
  [`${'語'.repeat(300)}.docx`],
  ['😀'.repeat(100)],
  [`x.${'y'.repeat(400)}`],
])('a long title is cut at whole characters, and keeps a short extension', title => {
  const name = safeFileName(title)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
  expect(Buffer.byteLength(name)).toBeGreaterThan(190)
  expect(Buffer.from(name).toString()).toBe(name)
  const extension = /\.(pdf|docx)$/.exec(title)?.[0] ?? ''
  expect(name.endsWith(extension)).toBe(true)
})

test('no title leaves the directory', () => {
  for (const start of ['..', '/', './', '..\\', 'a/../../']) {
    const name = safeFileName(`${start}x`)
    expect(basename(name)).toBe(name)
    expect(name).not.toMatch(/[\\/]/)
  }
})
