import {readFileSync} from 'node:fs'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startRecorder} from '../../support/recorder.js'
import {screenOf} from '../../support/screen.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** Prompts for missing inputs at a terminal. */

const ENTER = '\r'
const DOWN = '\u001b[B'
const UP = '\u001b[A'
const ESC = '\u001b'
const CTRL_C = '\u0003'

let world: World
let reports: string
let file: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  reports = await world.make('Reports', 'root')
  file = await world.make('q3.txt', reports, 'content')
  await world.make('apples.txt', 'root', 'x')
})
afterAll(() => world.close())

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  const start = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    startAtTerminal(words, {env: {...world.env, ...env}})

  test('a file is found by browsing folders', async () => {
    const drv = start(['files', 'get', '--columns', 'id,title', '--no-pager'])
    await drv.shows(/in My Drive:[^]*drive:[^]*❯ Reports\/[^]*apples\.txt/)
    drv.type(ENTER)
    await drv.shows(/in Reports:[^]*❯ q3\.txt +7 B +\d{4}-\d\d-\d\d \d\d:\d\d/)
    drv.type(ENTER)
    expect(await drv.ended).toBe(0)
    const shown = screenOf(drv.output())
    expect(shown[0]).toRead()
    expect(shown.slice(1).join('\n')).toMatch(new RegExp(`^id +${file}\ntitle +q3.txt$`))
  })

  test('shared drives and folders themselves can be selected', async () => {
    const own = await world.as('carol')
    const drive = await own.drv('drives insert', '--name', 'Sales')
    const upload = ['files insert', world.file('plan.txt', 'x'), '--parent', drive.id] as const
    await own.drv(...upload)
    const drv = start(['files', 'get', '--columns', 'id', '--no-pager'], own.env)
    await drv.shows(/in My Drive:[^]*❯ drive:/)
    drv.type(ENTER)
    await drv.shows(/in shared drives:[^]*❯ Sales\//)
    drv.type(ENTER)
    await drv.shows(/in Sales:[^]*❯ plan\.txt/)
    drv.type(UP)
    await drv.shows(/❯ \. +\(select Sales\)/)
    drv.type(ENTER)
    expect(await drv.ended).toBe(0)
    expect(screenOf(drv.output()).at(-1)).toBe(`id  ${drive.id}`)
  })

  test('a file is found by a part of its name, in any folder', async () => {
    const drv = start(['files', 'trash', '--dry-run'])
    await drv.shows(/in My Drive:[^]*apples/)
    drv.type('q3')
    await drv.shows(/\/Reports\/q3\.txt/)
    drv.type(ENTER)
    expect(await drv.ended).toBe(0)
    expect(screenOf(drv.output()).at(-1)).toRead()
    expect(drv.output()).toContain(file)
  })

  test('continuous typing leads to one request', async () => {
    const {url, received} = await startRecorder(() => ({
      body: {items: [{id: 'one', title: 'one.txt', mimeType: 'text/plain'}]},
    }))
    const drv = start(['files', 'get'], {DRV_BASE_URL: url, DRV_AUTH_URL: url})
    await drv.shows(/❯ one\.txt/)
    for (const letter of 'report') drv.type(letter)
    await drv.shows(/: report[^]*❯ shared:\/one\.txt/)
    drv.type(ESC)
    expect(await drv.ended).toBe(130)
    const searches = received.map(({url}) => new URL(url, 'http://x').searchParams.get('q'))
    expect(searches).toEqual([
      "trashed = false and 'root' in parents",
      "trashed = false and title contains 'report'",
    ])
  })

  test.each([
    ['Esc', ESC],
    ['Ctrl-C', CTRL_C],
  ])('%s restores the screen and exits with 130', async (_name, key) => {
    const drv = start(['permissions', 'delete'])
    await drv.shows(/in My Drive:[^]*apples\.txt/)
    drv.type(ENTER)
    await drv.shows(/in Reports:/)
    drv.type(key)
    expect(await drv.ended).toBe(130)
    expect(screenOf(drv.output())).toEqual([])
  })

  test('a permission is chosen by person and role, an enum from its values', async () => {
    const {id} = await world.drv(
      ...(['permissions insert', file, '--type', 'user', '--role', 'reader'] as const),
      ...['--additional-roles', 'commenter', '--value', 'ada@example.com'],
    )
    const drv = start(['permissions', 'patch', file, '--role', 'writer', '--json', '--jq', '.role'])
    await drv.shows(/ada@example\.com +commenter/)
    drv.type('ada')
    await drv.shows(/: ada\r\n❯ ada@example[^\r]*\r\n\r\n/)
    drv.type(ENTER)
    expect(await drv.ended).toBe(0)
    expect(await world.drv('permissions get', file, id)).toMatchObject({role: 'writer'})
    await world.drv('permissions delete', file, id)
  })

  test('required flags are prompted for, some as a choice', async () => {
    const drv = start(['permissions', 'insert', file, '--with-link', '--json', '--jq', '.id'])
    await drv.shows(/Role to grant:[^]*reader/)
    drv.type(`${DOWN.repeat(4)}${ENTER}`)
    await drv.shows(/Recipient type:[^]*anyone/)
    drv.type(`${DOWN.repeat(3)}${ENTER}`)
    expect(await drv.ended).toBe(0)
    expect(screenOf(drv.output()).join('\n')).toContain('--role=reader --type=anyone')
    await world.drv('permissions delete', file, 'anyoneWithLink')
  })

  test('a revision is chosen by time and size, a shared drive by its name', async () => {
    const own = await world.as('dora')
    await own.drv('drives insert', '--name', 'Finance')
    await own.drv('drives insert', '--name', 'Archive')
    const revision = start(['revisions', 'get', file, '--columns', 'id'])
    await revision.shows(/\d{4}-\d\d-\d\d \d\d:\d\d +7 B/)
    revision.type(ENTER)
    expect(await revision.ended).toBe(0)
    const drv = start(['drives', 'get', '--columns', 'name'], own.env)
    await drv.shows(/Finance +\d{4}/)
    drv.type('fin')
    await drv.shows(/: fin\r\n❯ Finance +\d{4}[^\r]*\r\n\r\n/)
    drv.type(ENTER)
    expect(await drv.ended).toBe(0)
    expect(screenOf(drv.output()).at(-1)).toMatch(/^name +Finance$/)
  })

  test('nothing prompts if read-only mode refuses the command', async () => {
    const drv = start(['files', 'trash', '--read-only'])
    expect(await drv.ended).toBe(13)
    expect(drv.output()).not.toContain('My Drive')
  })

  test('with --no-input or TERM=dumb it is an error', async () => {
    for (const [words, env] of [
      [['files', 'get', '--no-input'], {}],
      [['files', 'get'], {DRV_NO_INPUT: '1'}],
      [['files', 'get'], {TERM: 'dumb'}],
    ] as const) {
      const drv = start(words, env)
      expect(await drv.ended).toBe(2)
      expect(screenOf(drv.output()).join('\n')).toRead()
      expect(drv.output()).not.toContain('\u001b')
    }
  })

  test('standard output has results only', async () => {
    const out = `${world.folder}/out.json`
    const drv = startAtTerminal(['files', 'get', '--json'], {env: world.env, stdout: out})
    await drv.shows(/apples\.txt/)
    drv.type('apples')
    await drv.shows(/❯ \/apples\.txt/)
    drv.type(ENTER)
    expect(await drv.ended).toBe(0)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({title: 'apples.txt'})
  })
})

test('nothing prompts without a terminal', async () => {
  const {code, stderr} = await world.run('files get')
  expect(code).toBe(2)
  expect(stderr).toRead()
})
