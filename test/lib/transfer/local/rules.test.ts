import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {anyRule, createRules, type GivenRules} from '#lib/transfer/local/rules.js'
import {scanFolder} from '#lib/transfer/local/scan.js'
import {excludedOf} from '#lib/transfer/tree/exclusions.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(folder, {recursive: true}))

function plant(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), {recursive: true})
    writeFileSync(join(folder, name), text)
  }
}

/** Included and excluded paths; a trailing slash means a folder. */
async function left(given: GivenRules, ...paths: string[]): Promise<string[]> {
  const rules = createRules({path: folder, ...given})
  const found: string[] = []
  for (const path of paths) {
    const names = path.replace(/\/$/, '').split('/')
    if (await rules.excludes(names, path.endsWith('/'))) found.push(path)
  }
  return found
}

describe('rules of the command line', () => {
  test.each<[string, GivenRules, string[], string[]]>([
    [
      'a name, wherever it is',
      {exclude: ['node_modules']},
      ['node_modules/', 'a/node_modules/', 'b'],
      ['node_modules/', 'a/node_modules/'],
    ],
    [
      'folders alone',
      {exclude: ['build/']},
      ['build', 'build/', 'a/build/'],
      ['build/', 'a/build/'],
    ],
    ['the top alone', {exclude: ['/build']}, ['build/', 'a/build/'], ['build/']],
    ['two stars', {exclude: ['a/**/z']}, ['a/z', 'a/b/c/z', 'z'], ['a/z', 'a/b/c/z']],
    ['capitals count', {exclude: ['*.LOG']}, ['a.log', 'a.LOG'], ['a.LOG']],
    ['accents in both spellings', {exclude: ['\u00fc.txt']}, ['u\u0308.txt'], ['u\u0308.txt']],
    ['marks are part of a glob', {exclude: ['#x', '!y']}, ['#x', '!y', 'x', 'y'], ['#x', '!y']],
    [
      'an include wins',
      {exclude: ['*.log'], include: ['keep.log']},
      ['a.log', 'keep.log'],
      ['a.log'],
    ],
    ['wherever it stands', {include: ['keep.log'], exclude: ['*']}, ['a', 'keep.log'], ['a']],
    [
      'but not in a folder that is left out',
      {exclude: ['d/'], include: ['*.pdf']},
      ['d/', 'd/a.pdf'],
      ['d/', 'd/a.pdf'],
    ],
    [
      'nothing but some, in folders too',
      {exclude: ['*'], include: ['*/', '*.pdf']},
      ['d/', 'd/a.pdf', 'd/b', 'c'],
      ['d/b', 'c'],
    ],
    ['no rule leaves nothing', {}, ['a', 'b/'], []],
  ])('%s', async (_, given, paths, expected) => {
    expect(await left(given, ...paths)).toEqual(expected)
  })
})

describe('rules of folders', () => {
  test.each<[string, Record<string, string>, GivenRules, string[], string[]]>([
    ['hold below', {'.drvignore': '*.log\n'}, {}, ['a.log', 'd/a.log', 'a'], ['a.log', 'd/a.log']],
    [
      'an inner file adds, for its folder alone',
      {'d/.drvignore': 'x\n'},
      {},
      ['x', 'd/x', 'd/e/x'],
      ['d/x', 'd/e/x'],
    ],
    [
      'and wins',
      {'.drvignore': '*.log', 'd/.drvignore': '!a.log'},
      {},
      ['a.log', 'd/a.log', 'd/b.log'],
      ['a.log', 'd/b.log'],
    ],
    [
      'its top is its folder',
      {'d/.drvignore': '/x\ne/y\n'},
      {},
      ['x', 'd/x', 'd/e/x', 'd/e/y', 'd/f/e/y'],
      ['d/x', 'd/e/y'],
    ],
    ['the last line decides', {'.drvignore': '!a\na\n'}, {}, ['a'], ['a']],
    [
      'comments, blanks, other line ends',
      {'.drvignore': '\ufeffb\r\n# a\r\n\r\n\\#c\r\n'},
      {},
      ['a', 'b', '#c'],
      ['b', '#c'],
    ],
    [
      'the same in an inner one',
      {'d/.drvignore': '# a\r\n\r\n\\#c\r\n! \n'},
      {},
      ['d/a', 'd/#c', 'd/e'],
      ['d/#c'],
    ],
    [
      'a folder with signs in its name',
      {'a[b]*/.drvignore': 'x'},
      {},
      ['a[b]*/x', 'ab/x'],
      ['a[b]*/x'],
    ],
    [
      'the command line wins both ways',
      {'.drvignore': 'a\n!b\n'},
      {exclude: ['b'], include: ['a']},
      ['a', 'b'],
      ['b'],
    ],
    [
      'what comes back brings what is in it',
      {'.drvignore': 'd'},
      {include: ['d']},
      ['d/', 'd/x'],
      [],
    ],
    ['the file itself goes along', {'.drvignore': 'a'}, {}, ['.drvignore'], []],
    ['unless it says so', {'.drvignore': '.drvignore'}, {}, ['.drvignore'], ['.drvignore']],
  ])('%s', async (_, files, given, paths, expected) => {
    plant(files)
    expect(await left(given, ...paths)).toEqual(expected)
  })

  test('of several folders all apply', async () => {
    plant({'a/.drvignore': 'x', 'b/.drvignore': 'y'})
    const rules = anyRule(['a', 'b'].map(name => createRules({path: join(folder, name)})))
    const excludes = (name: string) => rules.excludes([name], false)
    expect(await Promise.all(['x', 'y', 'z'].map(excludes))).toEqual([true, true, false])
    expect(rules.isAny()).toBe(true)
  })
})

test('excluded entries are not read, and counted once', async () => {
  plant({
    '.drvignore': 'node_modules/',
    'a.log': '',
    b: '',
    'd/c.log': '',
    'd/node_modules/e/f.log': '',
  })
  const rules = createRules({path: folder, exclude: ['*.log']})
  const tree = await scanFolder(folder, '', {rules})
  expect(tree.entries.map(({name}) => name)).toEqual(['.drvignore', 'b', 'd'])
  expect(tree.entries[2]).toMatchObject({entries: [], leftOut: {folders: 1, files: 1}})
  expect(excludedOf(tree)).toEqual({folders: 1, files: 2})
})
