import {Flags} from '@oclif/core'
import {describe, expect, test} from 'vitest'
import {normalizeArgv, optionalValue} from '#lib/cli/input/argv.js'

const flags = {
  convert: Flags.boolean({allowNo: true}),
  'supports-all-drives': Flags.boolean({allowNo: true, aliases: ['supportsAllDrives']}),
  json: Flags.boolean(),
  download: Flags.string({char: 'o', aliases: ['output']}),
  fields: Flags.string({aliases: ['f-alias']}),
}

describe('normalizeArgv', () => {
  test.each([
    [['--convert=true'], ['--convert']],
    [
      ['--convert=false', 'ID'],
      ['--no-convert', 'ID'],
    ],
    [['--supportsAllDrives=false'], ['--no-supports-all-drives']],
    [['--fields=true'], ['--fields=true']],
    [
      ['--', '--convert=false'],
      ['--', '--convert=false'],
    ],
  ])('%j', (argv, expected) => {
    expect(normalizeArgv(argv, flags)).toEqual(expected)
  })

  test.each(['--convert=maybe', '--supportsAllDrives=', '--no-convert=false', '--json=false'])(
    '%s is rejected',
    argument => {
      expect(() => normalizeArgv([argument, 'ID'], flags)).toRead()
    },
  )
})

test.each([
  [
    ['/', '-o', 'json'],
    ['/', '--format', 'json'],
  ],
  [
    ['-o', 'file'],
    ['-o', 'file'],
  ],
  [['-o'], ['-o']],
  [
    ['--', '-o', 'json'],
    ['--', '-o', 'json'],
  ],
])('%j without a flag -o', (argv, expected) => {
  const format = {format: Flags.string({options: ['json', 'csv']})}
  expect(normalizeArgv(argv, format)).toEqual(expected)
})

describe('optionalValue', () => {
  test.each([
    [['ID'], ['ID']],
    [
      ['ID', '--download'],
      ['ID', '--download='],
    ],
    [
      ['ID', '--download', 'a.txt'],
      ['ID', '--download', 'a.txt'],
    ],
    [
      ['ID', '--download', '-'],
      ['ID', '--download', '-'],
    ],
    [
      ['ID', '--download=a.txt'],
      ['ID', '--download=a.txt'],
    ],
    [
      ['ID', '--download', '--json'],
      ['ID', '--download=', '--json'],
    ],
    [
      ['--download', 'ID'],
      ['--download=', 'ID'],
    ],
    [
      ['--download', 'a.txt', 'ID'],
      ['--download', 'a.txt', 'ID'],
    ],
    [
      ['--download', '-', 'ID'],
      ['--download', '-', 'ID'],
    ],
    [
      ['--download', 'ID', '--fields', 'id'],
      ['--download=', 'ID', '--fields', 'id'],
    ],
    [
      ['--fields', 'id', '--download', 'ID'],
      ['--fields', 'id', '--download=', 'ID'],
    ],
    [
      ['--f-alias', 'id', '--download', 'ID'],
      ['--f-alias', 'id', '--download=', 'ID'],
    ],
    [
      ['--download', 'a.txt', '--', '-ID'],
      ['--download', 'a.txt', '--', '-ID'],
    ],
    [
      ['--download', '--', '-ID'],
      ['--download=', '--', '-ID'],
    ],
    [
      ['-o', 'a.txt', 'ID'],
      ['-o', 'a.txt', 'ID'],
    ],
    [
      ['ID', '-o'],
      ['ID', '--download='],
    ],
    [
      ['--output', 'ID'],
      ['--download=', 'ID'],
    ],
    [
      ['--', '--download'],
      ['--', '--download'],
    ],
  ])('%j', (argv, expected) => {
    expect(optionalValue(argv, 'download', 1, flags)).toEqual(expected)
  })
})
