import {rmSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Access to many files: reports and removal, checked with `permissions list`. */

let world: World
let count = 0
let folder: string
let inner: string
let file: string
let other: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  for (const user of ['ada', 'ben', 'eve']) await world.as(user)
})
afterAll(() => world.close())

beforeEach(async () => {
  count += 1
  folder = await world.make(`Top ${count}`, 'root')
  inner = await world.make('inner', folder)
  file = await world.make('deep.txt', inner, 'deep')
  other = await world.make(`other ${count}.txt`, 'root', 'other')
})

const top = () => `/Top ${count}`
const rolesOf = async (id: string) => {
  const {items} = await world.drv('permissions list', id)
  return Object.fromEntries(
    items.map(({emailAddress, type, role}: any) => [emailAddress ?? type, role]),
  )
}
const share = (...words: string[]) => world.drv('share', ...words, '--no-notify')

describe('drv unshare --everywhere', () => {
  const end = (...words: string[]) => world.run('unshare', ['--everywhere', ...words])
  const rowsOf = (stdout: string) => stdout.split('\n').filter(Boolean).sort()

  test('removes access at every grant, in one run', async () => {
    await share(file, 'eve@example.com')
    await share(folder, 'eve@example.com')
    await share(other, 'eve@example.com', 'ada@example.com', '--role', 'editor')
    const {code, stdout, stderr} = await end('eve@example.com', '--columns', 'file,before')
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(rowsOf(stdout)).toEqual(
      [
        `/Top ${count}/inner/deep.txt\treader`,
        `/Top ${count}\treader`,
        `/other ${count}.txt\twriter`,
      ].sort(),
    )
    for (const id of [folder, inner, file, other]) {
      expect(await rolesOf(id)).not.toHaveProperty('eve@example.com')
    }
    expect(await rolesOf(other)).toMatchObject({'ada@example.com': 'writer'})
    const again = await end('eve@example.com')
    expect(again).toMatchObject({code: 0, stdout: ''})
    expect(again.stderr).toRead()
  })

  test('removes access in shared drives, including membership', async () => {
    const drive = await world.drv('drives insert', '--name', `Drive ${count}`)
    const {id} = await world.drv('files insert', '--title', 'in drive', '--parent', drive.id)
    await share(drive.id, 'eve@example.com')
    const single = await world.drv('files insert', '--title', 'single', '--parent', drive.id)
    await share(single.id, 'eve@example.com', '--role', 'writer')
    expect((await end('eve@example.com')).code).toBe(0)
    for (const one of [drive.id, id, single.id]) {
      expect(await rolesOf(one)).not.toHaveProperty('eve@example.com')
    }
  })

  test('removes public access', async () => {
    await share(folder, '--public')
    await share(other, 'anyone')
    const {code, stdout} = await end('anyone', '--columns', 'file')
    expect(code).toBe(0)
    expect(rowsOf(stdout)).toEqual(expect.arrayContaining([`/Top ${count}`, `/other ${count}.txt`]))
    expect(await rolesOf(folder)).not.toHaveProperty('anyone')
  })

  test('a plan and a dry run say if inherited access can hide more', async () => {
    const plan = join(world.folder, `everywhere ${count}.plan`)
    const said = ({stderr}: {stderr: string}) =>
      stderr.replaceAll(world.folder, '/tmp').replace(/ \d+\.plan/g, '.plan')
    await share(other, 'eve@example.com')
    const whole = await end('eve@example.com', '--plan', plan)
    expect(said(whole)).toRead()
    await share(file, 'eve@example.com')
    await share(folder, 'eve@example.com')
    expect(said(await end('eve@example.com', '--dry-run'))).toRead()
    const planned = await end('eve@example.com', '--plan', plan)
    expect(planned.code).toBe(0)
    expect(said(planned)).toRead()
    expect((await world.run('apply', [plan, '--yes'])).code).toBe(0)
    expect(await rolesOf(file)).toHaveProperty('eve@example.com')
    rmSync(`${plan}.done`)
    expect(said(await end('eve@example.com', '--plan', plan))).toRead()
    expect((await world.run('apply', [plan, '--yes'])).code).toBe(0)
    expect(await rolesOf(file)).not.toHaveProperty('eve@example.com')
  })

  test('shows what it would do, and takes no files', async () => {
    await share(folder, 'eve@example.com')
    const dry = await end('eve@example.com', '--dry-run')
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain(`/Top ${count}`)
    expect(await rolesOf(folder)).toHaveProperty('eve@example.com')
    const both = await end(other, 'eve@example.com')
    expect(both.code).toBe(2)
    expect(both.stderr).toRead()
    expect((await end()).code).toBe(2)
    expect((await end('eve@example.com')).code).toBe(0)
  })
})

test('unshare of all shared files succeeds, even if some access is inherited', async () => {
  await share(folder, 'eve@example.com')
  const found = await world.run('find', ['--shared-with', 'eve@example.com', '--format', 'ids'])
  const ended = await world.run('unshare', ['-', 'eve@example.com'], {input: found.stdout})
  expect(ended.code).toBe(0)
  expect(await rolesOf(file)).not.toHaveProperty('eve@example.com')
})

describe('the access report', () => {
  test('has a row for each grant in the folder, with its source', async () => {
    await share(folder, 'ada@example.com')
    await share(inner, 'ben@example.com', '--role', 'commenter')
    await share(file, 'anyone')
    const columns = ['--columns', 'file,who,role,access,from']
    const {stdout, code} = await world.run('share', ['-R', top(), ...columns, '--format', 'csv'])
    expect(code).toBe(0)
    const at = (path: string) => `${top()}${path}`
    expect(stdout.trim().split(/\r?\n/).sort()).toEqual(
      [
        'file,who,role,access,from',
        `${at('')},ada@example.com,reader,direct,`,
        `${at('/inner')},ada@example.com,reader,inherited,${at('')}`,
        `${at('/inner')},ben@example.com,commenter,direct,`,
        `${at('/inner/deep.txt')},ada@example.com,reader,inherited,${at('')}`,
        `${at('/inner/deep.txt')},anyone,reader,link,`,
        `${at('/inner/deep.txt')},ben@example.com,commenter,inherited,${at('/inner')}`,
      ].sort(),
    )
    const whole = await world.drv('share', '--report')
    const files = new Set(whole.map(({file}: {file: string}) => file))
    expect(files).toContain(at('/inner/deep.txt'))
    const own = whole.filter(({file}: {file: string}) => file.startsWith(top()))
    expect(own.every(({access}: {access: string}) => access !== 'owner')).toBe(true)
  })

  test('includes shared drives', async () => {
    const drive = await world.drv('drives insert', '--name', `Report ${count}`)
    await world.drv('files insert', '--title', 'a', '--parent', drive.id)
    await share(drive.id, 'ada@example.com', '--role', 'writer')
    const rows = await world.drv('share', '-R', `drive:Report ${count}`)
    expect(rows).toContainEqual(
      expect.objectContaining({
        file: `drive:Report ${count}/a`,
        who: 'ada@example.com',
        access: 'drive',
      }),
    )
  })

  test('accepts only files, and reports a missing one', async () => {
    const both = await world.run('share', ['--report', top(), 'ada@example.com'])
    expect(both.code).toBe(2)
    expect(both.stderr).toRead()
    expect((await world.run('share', ['-R', '/absent'])).code).not.toBe(0)
  })
})

describe('drv share', () => {
  test.each([
    ['viewer', 'reader'],
    ['editor', 'writer'],
    ['commenter', 'reader'],
  ])('the role %s is %s', async (word, role) => {
    await share(other, 'ada@example.com', '--role', word)
    expect(await rolesOf(other)).toMatchObject({'ada@example.com': role})
  })

  test('--role owner transfers ownership after confirmation', async () => {
    const refused = await world.run('share', [other, 'ada@example.com', '--role', 'owner'])
    expect(refused.code).toBe(2)
    expect(await rolesOf(other)).not.toHaveProperty('ada@example.com')
    await share(other, 'ada@example.com', '--role', 'owner', '--yes')
    expect(await rolesOf(other)).toMatchObject({'ada@example.com': 'owner'})
    await share(file, 'ada@example.com')
    await share(file, 'ada@example.com', '--role', 'owner', '--yes')
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'owner'})
  })

  test('--public gives read access to anyone with the link', async () => {
    await share(other, '--public')
    expect(await rolesOf(other)).toMatchObject({anyone: 'reader'})
  })

  test('--expires limits new and existing access', async () => {
    const endOf = async () => {
      const {items} = await world.drv('permissions list', other)
      const found = items.find(({emailAddress}: any) => emailAddress === 'ada@example.com')
      return Math.round((Date.parse(found.expirationDate) - Date.now()) / 86_400_000)
    }
    await share(other, 'ada@example.com', '--expires', '30d')
    expect(await endOf()).toBe(30)
    await share(other, 'ada@example.com', '--expires', '2w')
    expect(await endOf()).toBe(14)
    for (const text of ['2020-01-01', 'soon']) {
      const words = [other, 'ada@example.com', '--expires', text]
      expect((await world.run('share', words)).code).toBe(2)
    }
  })
})
