import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Access to many files: who has it, and how it ends. What the service has `permissions list` tells. */

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

  test('ends access at every grant, in one run', async () => {
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

  test('ends access in shared drives, where a member is one of the drive', async () => {
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

  test('closes what anyone could read', async () => {
    await share(folder, '--public')
    await share(other, 'anyone')
    const {code, stdout} = await end('anyone', '--columns', 'file')
    expect(code).toBe(0)
    expect(rowsOf(stdout)).toEqual(expect.arrayContaining([`/Top ${count}`, `/other ${count}.txt`]))
    expect(await rolesOf(folder)).not.toHaveProperty('anyone')
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

test('unshare of all that somebody has is done, though folders gave part of it', async () => {
  await share(folder, 'eve@example.com')
  const found = await world.run('find', ['--shared-with', 'eve@example.com', '--format', 'ids'])
  const ended = await world.run('unshare', ['-', 'eve@example.com'], {input: found.stdout})
  expect(ended.code).toBe(0)
  expect(await rolesOf(file)).not.toHaveProperty('eve@example.com')
})

describe('the report of access', () => {
  test('has a row for each grant on what is below, with where it comes from', async () => {
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

  test('tells of shared drives too', async () => {
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

  test('takes files alone, and tells what is not there', async () => {
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

  test('--role owner hands over, once it is confirmed', async () => {
    const refused = await world.run('share', [other, 'ada@example.com', '--role', 'owner'])
    expect(refused.code).toBe(2)
    expect(await rolesOf(other)).not.toHaveProperty('ada@example.com')
    await share(other, 'ada@example.com', '--role', 'owner', '--yes')
    expect(await rolesOf(other)).toMatchObject({'ada@example.com': 'owner'})
    await share(file, 'ada@example.com')
    await share(file, 'ada@example.com', '--role', 'owner', '--yes')
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'owner'})
  })

  test('--public lets everybody with the link read', async () => {
    await share(other, '--public')
    expect(await rolesOf(other)).toMatchObject({anyone: 'reader'})
  })

  test('--expires ends access, for new people and for those who have it', async () => {
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
