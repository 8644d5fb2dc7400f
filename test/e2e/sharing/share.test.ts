import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {screenOf} from '../../support/screen.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

/** Sharing by path and email address, checked with `permissions list`. */

let world: World
let ada: World
let folder: string
let file: string
let count = 0
beforeAll(async () => {
  world = await startWorld({}, runHere)
  ada = await world.as('ada')
  await world.as('ben')
})
afterAll(() => world.close())

/** Each test has a folder of its own with a file in it. */
beforeEach(async () => {
  count += 1
  folder = await world.make(`Reports ${count}`, 'root')
  file = await world.make('q3.txt', folder, 'content')
})

const path = () => `/Reports ${count}/q3.txt`
const rolesOf = async (id: string) => {
  const {items} = await world.drv('permissions list', id)
  return Object.fromEntries(
    items.map(({emailAddress, domain, type, role, additionalRoles}: any) => [
      type === 'anyone' ? 'anyone' : type === 'domain' ? `@${domain}` : emailAddress,
      [role, ...(additionalRoles ?? [])].join('+'),
    ]),
  )
}

describe('drv share', () => {
  test('gives read access, and reports it in one row', async () => {
    const {code, stdout, stderr} = await world.run('share', [path(), 'ada@example.com'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^\/Reports \d+\/q3\.txt\t\S+\tada@example\.com\treader\t\tshared\t\S+\n$/,
    )
    expect(stderr).toBe('')
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'reader'})
    expect(await ada.drv('files get', file)).toMatchObject({id: file})
  })

  test('--public prints the link, even if anyone has access already', async () => {
    const link = `${world.url}/open/${file}`
    for (const change of ['shared', 'unchanged']) {
      const {stdout} = await world.run('share', [path(), '--public'])
      expect(stdout.trim().split('\t').slice(5)).toEqual([change, 'anyoneWithLink', link])
    }
    expect(await world.drv('share', path(), 'anyone', '--role', 'editor')).toMatchObject({link})
    const both = await world.drv('share', path(), folder, '--public')
    expect(both.map(({result}: any) => result.link)).toEqual([link, link.replace(file, folder)])
    const shared = await world.run('share', [path(), 'ada@example.com', '--dry-run'])
    expect(shared.stdout).not.toContain('/open/')
  })

  test('an owner must have an account', async () => {
    const who = ['nobody@nowhere.example', '--role', 'owner', '--yes']
    const {code, stderr} = await world.run('share', [path(), ...who])
    expect(code).toBe(1)
    expect(stderr).toRead()
  })

  test.each([
    ['viewer', 'reader'],
    ['commenter', 'reader+commenter'],
    ['editor', 'writer'],
  ])('the role %s is accepted wherever a role is', async (word, role) => {
    const who = {...{'ada@example.com': role}}
    const insert = ['--type', 'user', '--value', 'ada@example.com', '--role', word]
    const records = `{"fileId":"${file}","type":"user","value":"ada@example.com","role":"${word}"}\n`
    const table = `file,who,role\n${path()},ada@example.com,${word}\n`
    const lines: Array<readonly [string, string[], string?]> = [
      ['share', [path(), 'ada@example.com', '--role', word]],
      ['share --from -', [], table],
      ['permissions insert', [file, ...insert]],
      ['permissions insert --from -', [], records],
    ]
    for (const [command, args, input] of lines) {
      const {code, stderr} = await world.run(command, args, {input})
      expect(code, stderr).toBe(0)
      expect(await rolesOf(file), command).toMatchObject(who)
      if (command === 'permissions insert' && input === undefined) {
        for (const verb of ['patch', 'update']) {
          const other = word === 'editor' ? 'viewer' : 'editor'
          await world.drv('share', path(), 'ada@example.com', '--role', other)
          await world.drv(`permissions ${verb}`, file, 'ada@example.com', '--role', word)
          expect(await rolesOf(file), verb).toMatchObject(who)
        }
      }
      await world.drv('unshare', path(), 'ada@example.com')
    }
  })

  test('sharing again changes the role, and does nothing for the same role', async () => {
    const share = (role: string) => world.drv('share', path(), 'ada@example.com', '--role', role)
    expect(await share('commenter')).toMatchObject({change: 'shared', role: 'commenter'})
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'reader+commenter'})
    expect(await share('writer')).toMatchObject({change: 'changed', before: 'commenter'})
    expect(await share('writer')).toMatchObject({change: 'unchanged', before: 'writer'})
    expect(await share('reader')).toMatchObject({change: 'changed', before: 'writer'})
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'reader'})
  })

  test('many files with many people are in order, with failures in their places', async () => {
    const other = await world.make('q4.txt', folder, 'content')
    const words = [file, '/nowhere.txt', other, 'ada@example.com', '@example.org', 'anyone']
    const {code, stderr, json} = await world.run('share', [...words, '--role', 'reader', '--json'])
    expect(code).toBe(9)
    expect(JSON.parse(stderr).error.message).toRead()
    const all = json<any[]>()
    expect(all.map(({input: {file, who}}) => [file, who])).toEqual(
      [file, '/nowhere.txt', other].flatMap(file =>
        ['ada@example.com', '@example.org', 'anyone'].map(who => [file, who]),
      ),
    )
    expect(all[3].error).toMatchObject({code: 'notFound'})
    for (const id of [file, other]) {
      expect(await rolesOf(id)).toMatchObject({
        'ada@example.com': 'reader',
        '@example.org': 'reader',
        anyone: 'reader',
      })
    }
  })

  test('the email has a message, or is not sent', async () => {
    const line = ['share', path(), 'ada@example.com', '--verbose', '--role', 'reader']
    const silent = await world.run('share', [...line.slice(1), '--no-notify'])
    expect(silent.stderr).toMatch(/sendNotificationEmails=false/)
    const both = await world.run('share', [...line.slice(1), '--no-notify', '--message', 'Look'])
    expect(both.code).toBe(2)
    const words = [path(), 'ben@example.com', '--message', 'Look', '--verbose']
    expect((await world.run('share', words)).stderr).toMatch(/emailMessage=Look/)
  })

  test('takes files from standard input and pairs from a table', async () => {
    const input = `${file}\n${folder}\n`
    const {code} = await world.run('share', ['-', 'ada@example.com'], {input})
    expect(code).toBe(0)
    expect(await rolesOf(folder)).toMatchObject({'ada@example.com': 'reader'})
    const table = world.file(
      'team.csv',
      `file,who,role\n${path()},ben@example.com,writer\n${file},@example.org,\n`,
    )
    expect((await world.run('share', ['--from', table])).code).toBe(0)
    expect(await rolesOf(file)).toMatchObject({
      'ben@example.com': 'writer',
      '@example.org': 'reader',
    })
    const bad = world.file('bad.csv', `file,who,role\n${file},ben@example.com,king\n`)
    const refused = await world.run('share', ['--from', bad])
    expect(refused).toMatchObject({code: 2, stderr: expect.stringContaining('bad.csv, line 2')})
  })

  test('a dry run shows the operations and changes nothing; read-only mode refuses', async () => {
    await world.drv('share', path(), 'ada@example.com')
    const words = [path(), 'ada@example.com', 'ben@example.com', '--role', 'writer']
    const {code, stdout} = await world.run('share', [...words, '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      `permissions.patch\t${path()}\tada@example.com\twriter\treader\n` +
        `permissions.insert\t${path()}\tben@example.com\twriter\t\n`,
    )
    expect((await world.run('share', [...words, '--read-only'])).code).toBe(13)
    expect(await rolesOf(file)).toEqual({
      'ada@example.com': 'reader',
      'local@example.com': 'owner',
    })
    expect((await world.run('share', [path(), '--read-only'])).code).toBe(0)
  })

  test('without WHO, it shows who has access, and how', async () => {
    await world.drv('share', folder, 'ada@example.com', '--role', 'writer')
    await world.drv('share', file, 'ben@example.com', 'anyone')
    const rows = await world.drv('share', path())
    expect(rows).toHaveLength(4)
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{who: 'ada@example.com', role: 'writer'},
          ...{access: 'inherited', from: `/Reports ${count}`},
        }),
        expect.objectContaining({who: 'ben@example.com', role: 'reader', access: 'direct'}),
        expect.objectContaining({who: 'anyone', role: 'reader', access: 'link'}),
        expect.objectContaining({who: 'local@example.com', role: 'owner', access: 'owner'}),
      ]),
    )
    expect(rows.map(({role}: any) => role)).toEqual(['owner', 'writer', 'reader', 'reader'])
    const some = await world.run('share', [path(), '/nowhere.txt'])
    expect(some).toMatchObject({code: 9, stderr: expect.stringContaining('Failed: /nowhere.txt')})
    expect(some.stdout.split('\n')).toHaveLength(5)
    const table = await world.run('share', [path(), '--format', 'table'])
    expect(table.stdout).toMatch(/^FILE +WHO +ROLE +ACCESS +FROM/)
  })

  test('in a shared drive, it distinguishes members from other people', async () => {
    const drive = await world.drv('drives insert', '--name', `Team ${count}`)
    const upload = ['files insert', world.file('plan.txt', 'x'), '--parent', drive.id] as const
    const {id: inDrive} = await world.drv(...upload)
    await world.drv('share', drive.id, 'ada@example.com', '--role', 'writer')
    await world.drv('share', inDrive, 'ben@example.com')
    const rows = await world.drv('share', `drive:Team ${count}/plan.txt`)
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{who: 'ada@example.com', role: 'writer', access: 'drive'},
          from: `drive:Team ${count}`,
        }),
        expect.objectContaining({who: 'ben@example.com', role: 'reader', access: 'direct'}),
      ]),
    )
    const lower = await world.run('share', [inDrive, 'ada@example.com', '--role', 'reader'])
    expect(lower.code).toBe(12)
    expect(lower.stderr.replaceAll(`Team ${count}`, 'Team')).toRead()
    const gone = await world.run('unshare', [inDrive, 'ada@example.com'])
    expect(gone).toMatchObject({code: 12, stderr: expect.stringContaining(`drive:Team ${count}`)})
  })

  test.each([
    [['/x.txt', '--role', 'writer']],
    [['ada@example.com']],
    [[]],
    [['/x.txt', 'ada@example.com', '--role', 'boss']],
    [['notes.txt', 'ada@example.com']],
  ])('%j is invalid', async words => {
    const {code, stderr} = await world.run('share', words)
    expect(code).toBe(2)
    expect(stderr).toRead()
  })
})

describe('drv unshare', () => {
  test('removes access, and exits with 5 for somebody without access', async () => {
    await world.drv('share', file, 'ada@example.com', 'anyone')
    const ended = await world.drv('unshare', path(), 'ADA@example.com')
    expect(ended).toMatchObject({who: 'ADA@example.com', before: 'reader', change: 'ended'})
    const nobody = await world.run('unshare', [path(), 'ada@example.com'])
    expect(nobody.code).toBe(5)
    expect(nobody.stderr.replaceAll(path(), '/Reports/q3.txt')).toRead()
    const some = await world.run('unshare', [path(), 'ada@example.com', 'anyone'])
    expect(some.code).toBe(9)
    expect(some.stderr.replaceAll(path(), '/Reports/q3.txt')).toRead()
    expect(await rolesOf(file)).toEqual({'local@example.com': 'owner'})
  })

  test('names the source of inherited access, and keeps owners', async () => {
    await world.drv('share', folder, 'ada@example.com')
    const inherited = await world.run('unshare', [path(), 'ada@example.com'])
    expect(inherited.code).toBe(12)
    expect(inherited.stderr).toContain(`/Reports ${count}`)
    const owner = await world.run('unshare', [path(), 'local@example.com'])
    expect(owner.code).toBe(12)
    expect(owner.stderr.replaceAll(path(), '/Reports/q3.txt')).toRead()
  })

  test('removing your own access requires --yes, even for readers', async () => {
    await world.drv('share', file, 'ada@example.com')
    const words = [file, 'ada@example.com']
    expect((await ada.run('unshare', words)).code).toBe(2)
    expect((await ada.run('unshare', [...words, '--yes'])).code).toBe(0)
    expect(await rolesOf(file)).toEqual({'local@example.com': 'owner'})
    await world.drv('share', file, 'ada@example.com', 'ben@example.com')
    expect((await ada.run('unshare', [file, 'ben@example.com', '--yes'])).code).toBe(6)
  })
})

describe('at a terminal', () => {
  beforeEach(({skip}) => skip(missingTerminal !== undefined, missingTerminal))

  test('share prompts for file, person and role; unshare for the person', async () => {
    const share = startAtTerminal(['share', '--json', '--no-notify'], {env: world.env})
    await share.shows(/File to share, in My Drive:[^]*drive:/)
    share.type(`Reports ${count}`)
    await share.shows(new RegExp(`❯ /Reports ${count}/`))
    share.type('\r')
    await share.shows(/in Reports \d+:[^]*❯ q3\.txt/)
    share.type('\r')
    await share.shows(/Share with \([^)]*\):/)
    share.type('nobody\r')
    await share.shows(/Enter an email address/)
    share.type(`${'\u007f'.repeat(6)}ada@example.com\r`)
    await share.shows(/Role:[^]*commenter/)
    share.type('\u001b[B\r')
    expect(await share.ended).toBe(0)
    // The command line to paste is not wrapped.
    expect(screenOf(share.output()).slice(0, 2).join('\n')).toBe(
      `Equivalent command:\n\`drv share --json --no-notify ${file} ada@example.com --role=commenter\``,
    )
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'reader+commenter'})

    const ending = startAtTerminal(['unshare', file], {env: world.env})
    await ending.shows(/Remove access of:[^]*❯ ada@example\.com +commenter/)
    ending.type('\r')
    expect(await ending.ended).toBe(0)
    expect(await rolesOf(file)).toEqual({'local@example.com': 'owner'})
  })

  test('drv asks before it removes the user’s own access', async () => {
    await world.drv('share', file, 'ada@example.com')
    const drv = startAtTerminal(['unshare', file, 'ada@example.com'], {env: ada.env})
    await drv.shows(/This will remove your own access[^]*Remove your own access\?/)
    drv.type('n\r')
    expect(await drv.ended).toBe(130)
    expect(await rolesOf(file)).toMatchObject({'ada@example.com': 'reader'})
  })
})
