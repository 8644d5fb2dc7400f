import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let inside: string
let outside: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  inside = await world.make('Inside', 'root')
  outside = await world.make('Outside', 'root')
})
afterAll(() => world.close())

/** Runs a command line with policies from a file. */
function under(
  policies: Readonly<Record<string, unknown>>,
  command: string,
  args: readonly string[] = [],
  input = '',
) {
  const DRV_POLICY = world.file('policy.json', JSON.stringify(policies))
  return world.run(command, args, {env: {DRV_POLICY}, input})
}

const titles = async (folder: string) => (await world.children(folder)).map(({title}) => title)

/** Creates files and returns their IDs. */
async function some(count: number, folder = inside): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    ids.push(await world.make(`${Math.random()}.txt`, folder, 'x'))
  }
  return ids
}

describe('max-delete', () => {
  const POLICY = {'max-delete': 2}

  test('rm, --from, standard input, an operation and api call are refused before the first change', async () => {
    const folder = await world.make('three', inside)
    const ids = await some(3, folder)
    const csv = world.file('ids.csv', `fileId\n${ids.join('\n')}\n`)
    for (const [command, args, input] of [
      ['rm', ids],
      ['rm', ['-'], ids.join('\n')],
      ['rm', [folder]],
      ['files trash', ids],
      ['files trash', ['--from', csv]],
      ['files delete', [...ids, '--yes']],
      ['files delete', [folder, '--yes']],
      ['api call', ['files.trash', '--from', csv]],
      ['files patch', [folder, '--body', '{"labels":{"trashed":true}}']],
    ] as ReadonlyArray<[string, string[], string?]>) {
      const result = await under(POLICY, command, args, input)
      expect([command, result.stderr]).toEqual([
        command,
        expect.stringContaining('policy "max-delete 2"'),
      ])
      expect(result.code).toBe(13)
    }
    expect(await titles(folder)).toHaveLength(3)
    expect((await under(POLICY, 'rm', ids.slice(1))).code).toBe(0)
    expect(await titles(folder)).toHaveLength(1)
  })

  test('push --delete is refused before the first upload, and allowed within the limit', async () => {
    const target = await world.make('mirror', inside)
    await some(3, target)
    mkdirSync(join(world.folder, 'site'), {recursive: true})
    world.file('site/new.txt', 'new')
    const line = ['site/', target, '--delete', '--yes']
    const dry = await under(POLICY, 'push', [...line, '-n'])
    expect(dry.code).toBe(0)
    expect(dry.stderr).toRead()
    const refused = await under(POLICY, 'push', line)
    expect(refused.code).toBe(13)
    expect(refused.stderr).toRead()
    expect(await titles(target)).toHaveLength(3)
    expect((await under({'max-delete': 3}, 'push', line)).code).toBe(0)
    expect(await titles(target)).toEqual(['new.txt'])
  })

  test('emptying the trash counts its items in the service', async () => {
    const ids = await some(3)
    await world.drv('files trash', ...ids)
    expect((await under({'max-delete': 2}, 'files empty-trash', ['--yes'])).code).toBe(13)
    expect((await under({'max-delete': 1000}, 'files empty-trash', ['--yes'])).code).toBe(0)
  })
})

describe('max-changes', () => {
  test.each([
    ['mkdir', ['/Inside/a', '/Inside/b', '/Inside/c']],
    ['mkdir', ['-p', '/Inside/d/e/f']],
    ['share', ['/Inside', 'a@b.example', 'b@b.example', 'c@b.example']],
  ] as const)('%s %j', async (command, args) => {
    const before = await titles(inside)
    const result = await under({'max-changes': 2}, command, args)
    expect(result.stderr).toRead()
    expect(result.code).toBe(13)
    expect(await titles(inside)).toEqual(before)
  })

  test('mv, cp and push', async () => {
    const from = await world.make('from', inside)
    const ids = await some(3, from)
    const to = await world.make('to', inside)
    mkdirSync(join(world.folder, 'three'), {recursive: true})
    for (const name of 'abc') world.file(`three/${name}.txt`, name)
    for (const [command, args] of [
      ['mv', [...ids, to]],
      ['cp', [...ids, to]],
      ['push', ['three/', to]],
    ] as const) {
      expect((await under({'max-changes': 2}, command, args)).code).toBe(13)
      expect(await titles(to)).toEqual([])
    }
    expect((await under({'max-changes': 3}, 'push', ['three/', to])).code).toBe(0)
    expect((await under({'max-changes': 3}, 'mv', [...ids, to])).code).toBe(0)
    expect(await titles(to)).toHaveLength(6)
  })

  test('pull changes nothing in the service', async () => {
    const from = await world.make('pulled', inside)
    await some(3, from)
    expect((await under({'max-changes': 0, 'max-delete': 0}, 'pull', [from, 'here'])).code).toBe(0)
  })
})

describe('max-bytes', () => {
  test('push, an upload, standard input and a session', async () => {
    const target = await world.make('bytes', inside)
    mkdirSync(join(world.folder, 'big'), {recursive: true})
    world.file('big/a.txt', 'x'.repeat(60))
    world.file('big/b.txt', 'x'.repeat(60))
    const large = world.file('large.bin', Buffer.alloc(9 * 1024 * 1024))
    for (const [policy, command, args, input] of [
      ['100', 'push', ['big/', target]],
      ['50', 'files insert', ['big/a.txt', '--parent', target]],
      ['50', 'files insert', ['-', '--title', 'x', '--parent', target], 'x'.repeat(60)],
      ['9M', 'files insert', ['-', '--title', 'x', '--parent', target], 'x'.repeat(9437185)],
      ['8M', 'push', [large, target]],
    ] as ReadonlyArray<[string, string, string[], string?]>) {
      const result = await under({'max-bytes': policy}, command, args, input)
      expect([args, result.stderr]).toEqual([args, expect.stringContaining('policy "max-bytes')])
      expect(result.code).toBe(13)
      expect(await titles(target)).toEqual([])
    }
    expect((await under({'max-bytes': '9MiB'}, 'push', [large, target])).code).toBe(0)
    expect((await under({'max-bytes': '120'}, 'push', ['big/', target])).code).toBe(0)
    expect(await titles(target)).toHaveLength(3)
  })
})

describe('only', () => {
  const POLICY = {only: '/Inside'}

  test('items outside stay unchanged', async () => {
    const [a = '', b = ''] = await some(2, outside)
    const [c = ''] = await some(1)
    mkdirSync(join(world.folder, 'one'), {recursive: true})
    world.file('one/x.txt', 'x')
    const before = await titles(outside)
    for (const [command, args] of [
      ['rm', [a]],
      ['rm', [c, a]],
      ['rename', [a, 'new']],
      ['mv', [a, inside]],
      ['mv', [c, outside]],
      ['cp', [c, outside]],
      ['cp', [a, '/copy.txt']],
      ['mkdir', ['/Outside/new']],
      ['mkdir', ['/new']],
      ['share', [a, 'x@y.example']],
      ['star', [a]],
      ['touch', [b]],
      ['push', ['one/', outside]],
      ['push', ['one/', '/']],
      ['files insert', ['--title', 'x']],
      ['files update', [a, 'one/x.txt']],
      ['properties insert', [a, '--key', 'k', '--value', 'v']],
      ['drives insert', ['--name', 'x']],
      ['files empty-trash', ['--yes']],
      ['api call', ['files.trash', a]],
      ['rm', ['/Inside']],
    ] as const) {
      const result = await under(POLICY, command, args)
      expect([command, args, result.stderr]).toEqual([
        command,
        args,
        expect.stringContaining('policy "only /Inside'),
      ])
      expect(result.code).toBe(13)
    }
    expect(await titles(outside)).toEqual(before)
    expect(await titles('root')).toEqual(expect.arrayContaining(['Inside', 'Outside']))
  })

  test('what is inside can be changed', async () => {
    const [c = ''] = await some(1)
    mkdirSync(join(world.folder, 'deep/er'), {recursive: true})
    world.file('deep/er/x.txt', 'x')
    for (const [command, args] of [
      ['rename', [c, 'renamed.txt']],
      ['mkdir', ['-p', '/Inside/p/q']],
      ['mv', [c, '/Inside/p/q']],
      ['cp', ['/Inside/p/q/renamed.txt', '/Inside/p']],
      ['cp', ['-r', '/Inside/p', '/Inside/p2']],
      ['push', ['deep/', '/Inside/p']],
      ['share', ['/Inside', 'z@y.example']],
      ['rm', ['/Inside/p']],
    ] as const) {
      const result = await under(POLICY, command, args)
      expect([command, result.code, result.stderr]).toEqual([command, 0, result.stderr])
    }
  })

  test('two lists both apply, and a missing folder refuses every change', async () => {
    const both = {only: ['/Inside', '/Outside']}
    const [a = ''] = await some(1, outside)
    expect((await under(both, 'star', [a])).code).toBe(0)
    const missing = await under({only: '/None'}, 'star', [a])
    expect(missing.code).toBe(13)
    expect(missing.stderr).toRead()
  })

  test('in a shared drive', async () => {
    const {id: drive} = await world.drv('drives insert', '--name', 'Policy drive')
    const {id: other} = await world.drv('drives insert', '--name', 'Other drive')
    const policy = {only: 'drive:Policy drive'}
    expect((await under(policy, 'mkdir', ['drive:Policy drive/a'])).code).toBe(0)
    expect((await under(policy, 'drives update', [drive, '--name', 'Policy drive'])).code).toBe(0)
    for (const [command, args] of [
      ['mkdir', ['drive:Other drive/a']],
      ['drives update', [other, '--name', 'x']],
      ['drives hide', [other]],
      ['drives delete', [other, '--yes']],
      ['drives delete', [drive, '--yes']],
      ['share', [other, 'x@y.example']],
    ] as const) {
      const result = await under(policy, command, args)
      expect([command, result.stderr]).toEqual([command, expect.stringContaining('policy "only')])
    }
  })
})

describe('sharing', () => {
  test.each([
    [{'no-public': true}, 'share', ['/Inside', 'anyone']],
    [
      {'no-public': true},
      'permissions insert',
      ['/Inside', '--role', 'reader', '--type', 'anyone'],
    ],
    [
      {'no-public': true},
      'api call',
      ['permissions.insert', '/Inside', '--body', '{"role":"reader","type":"anyone"}'],
    ],
    [{'no-share-outside': 'corp.example'}, 'share', ['/Inside', 'a@corp.example', 'b@b.example']],
    [{'no-share-outside': 'corp.example'}, 'share', ['/Inside', '@b.example']],
    [{'no-share-outside': 'corp.example'}, 'share', ['/Inside', 'anyone']],
  ] as const)('%j: %s %j is refused', async (policy, command, args) => {
    const result = await under(policy, command, args)
    expect(result.code).toBe(13)
    expect(result.stderr).toMatch(/^Error: .*policy "no-(public|share-outside corp\.example)"/)
    expect((await world.drv('permissions list', '/Inside')).items).not.toContainEqual(
      expect.objectContaining({emailAddress: 'a@corp.example'}),
    )
  })

  test('the role of someone outside cannot be raised, and access can be removed', async () => {
    const id = await world.make('shared.txt', inside, 'x')
    await world.run('share', [id, 'ada@b.example'])
    const policy = {'no-share-outside': ['corp.example']}
    expect((await under(policy, 'share', [id, 'ada@b.example', '--role', 'writer'])).code).toBe(13)
    expect((await under(policy, 'share', [id, 'bob@corp.example'])).code).toBe(0)
    expect((await under(policy, 'unshare', [id, 'ada@b.example'])).code).toBe(0)
  })
})

test('require-plan refuses changes at once, but not reads, dry runs and plans', async () => {
  const policy = {'require-plan': true}
  const [a = ''] = await some(1)
  for (const [command, args] of [
    ['rm', [a]],
    ['push', ['.', inside]],
    ['share', [a, 'x@y.example']],
    ['api call', ['files.trash', a]],
  ] as const) {
    const result = await under(policy, command, args)
    expect(result.code).toBe(13)
    expect(result.stderr).toRead()
  }
  expect((await under(policy, 'rm', [a, '-n'])).code).toBe(0)
  expect((await under(policy, 'rm', [a, '--plan', join(world.folder, 'rm.plan')])).code).toBe(0)
  expect((await under(policy, 'ls', ['/Inside'])).code).toBe(0)
  expect((await world.run('files get', [a])).code).toBe(0)
})

test('a method that drv does not know counts as a change and as a deletion', async () => {
  const description = {
    ...{kind: 'discovery#restDescription', id: 'shelf:v1', name: 'shelf', version: 'v1'},
    ...{rootUrl: `${world.url}/`, servicePath: 'shelf/', schemas: {}, parameters: {}},
    resources: {
      books: {methods: {burn: {id: 'shelf.books.burn', path: 'burn', httpMethod: 'POST'}}},
    },
  }
  const path = world.file('shelf.json', JSON.stringify(description))
  const args = ['shelf.books.burn', '--description', path, '--yes']
  for (const policy of [
    {'max-delete': 0},
    {'max-changes': 0},
    {only: '/Inside'},
    {'no-public': true},
    {'require-plan': true},
  ]) {
    const result = await under(policy, 'api call', args)
    expect([policy, result.code]).toEqual([policy, 13])
    expect(result.stderr).toRead()
  }
  expect((await under({'max-delete': 1}, 'api call', args)).code).not.toBe(13)
})

describe('the file in DRV_POLICY', () => {
  test.each([
    ['unknown.yaml', 'max-delte: 5\n'],
    ['list.yaml', '- max-delete\n'],
    ['empty.yaml', ''],
    ['broken.yaml', 'max-delete: [5\n'],
    ['negative.json', '{"max-delete": -1}'],
  ])('%s is refused with code 10', async (name, text) => {
    const DRV_POLICY = world.file(name, text)
    const result = await world.run('ls', ['/'], {env: {DRV_POLICY}})
    expect(result.code).toBe(10)
    expect(result.stderr).toRead()
  })

  test('a missing one is refused, and YAML is read', async () => {
    expect((await world.run('ls', ['/'], {env: {DRV_POLICY: '/none'}})).code).toBe(10)
    const DRV_POLICY = world.file('ok.yaml', 'read-only: true\nmax-delete: 5\n')
    const refused = await world.run('mkdir', ['/x'], {env: {DRV_POLICY}})
    expect(refused.code).toBe(13)
    expect(refused.stderr).toContain('DRV_POLICY')
  })
})

describe('the policies of a profile', () => {
  const run = (command: string, args: string[] = [], env = {}) =>
    world.run(command, args, {env: {DRV_PROFILE: 'limited', ...env}})

  test('are set, shown, enforced, made stricter by a file, and lifted', async () => {
    expect((await run('auth policy set', ['max-delete', '1'])).code).toBe(0)
    expect((await run('auth policy set', ['only', '/Inside', '--json'])).json()).toEqual({
      name: 'only',
      value: [{path: '/Inside', id: inside}],
      source: 'profile',
    })
    const [a = '', b = ''] = await some(2)
    const refused = await run('rm', [a, b])
    expect(refused.code).toBe(13)
    expect(refused.stderr).toRead()
    expect(JSON.parse((await run('rm', [a, b, '--json'])).stderr).error).toMatchObject({
      code: 'policy',
      exit: 13,
    })
    const DRV_POLICY = world.file('stricter.yaml', 'max-delete: 0\n')
    expect((await run('rm', [a], {DRV_POLICY})).stderr).toContain('stricter.yaml')
    expect((await run('auth policy list', ['--json'], {DRV_POLICY})).json()).toEqual([
      {name: 'max-delete', value: 1, source: 'profile'},
      {name: 'only', value: [{path: '/Inside', id: inside}], source: 'profile'},
      {name: 'max-delete', value: 0, source: 'DRV_POLICY', file: DRV_POLICY},
    ])
    expect((await run('auth status', ['--json'])).json()).toMatchObject([
      {policies: [{name: 'max-delete', value: 1}, {name: 'only'}]},
    ])
    const isOther = await world.run('rm', [b])
    expect(isOther.code).toBe(0)
    for (const [command, args] of [
      ['auth policy unset', ['only']],
      ['auth policy set', ['max-delete', '5']],
      ['auth policy set', ['only', '/Inside', '/Outside']],
    ] as const) {
      const result = await run(command, [...args])
      expect([args, result.code]).toEqual([args, 2])
      expect(result.stderr).toContain('--yes')
    }
    expect((await run('auth policy set', ['max-delete', '0'])).code).toBe(0)
    expect((await run('auth policy unset', ['only', 'max-delete', '-y'])).code).toBe(0)
    expect((await run('auth policy list', ['--json'])).json()).toEqual([])
    expect((await run('rm', [a])).code).toBe(0)
  })

  test('read-only is one of them', async () => {
    expect((await run('auth policy set', ['read-only'])).code).toBe(0)
    const refused = await run('mkdir', ['/x'])
    expect(refused.code).toBe(13)
    expect(refused.stderr).toRead()
    expect((await run('auth status', ['--json'])).json()).toMatchObject([
      {readOnly: true, readOnlySource: 'profile'},
    ])
    expect((await run('auth policy unset', ['read-only', '-y'])).code).toBe(0)
    expect((await run('mkdir', ['/Inside/x'])).code).toBe(0)
  })

  test.each([
    ['set', ['max-delte', '5'], 2],
    ['set', ['max-delete'], 2],
    ['set', ['max-delete', '5', '6'], 2],
    ['set', ['max-delete', 'many'], 2],
    ['set', ['no-public', 'yes'], 2],
    ['set', ['only', '/None'], 5],
    ['unset', ['max-bytes', '-y'], 5],
    ['unset', ['none', '-y'], 2],
  ] as const)('auth policy %s %j ends with %s', async (verb, args, code) => {
    const result = await run(`auth policy ${verb}`, [...args])
    expect([result.code, result.stderr]).toEqual([code, result.stderr])
  })
})

describe('plans and undo', () => {
  test('require-plan lets a plan be applied, and refuses to undo it without one', async () => {
    const policy = {'require-plan': true}
    const ids = await some(2)
    const plan = join(world.folder, 'trash.plan')
    expect((await under(policy, 'rm', [...ids, '--plan', plan])).code).toBe(0)
    const before = await titles(inside)
    expect((await under(policy, 'apply', [plan, '--yes'])).code).toBe(0)
    expect(await titles(inside)).toHaveLength(before.length - 2)
    expect((await under(policy, 'undo', ['--yes'])).code).toBe(13)
    const back = join(world.folder, 'back.plan')
    expect((await under(policy, 'undo', ['--plan', back])).code).toBe(0)
    expect((await under(policy, 'apply', [back, '--yes'])).code).toBe(0)
    expect(await titles(inside)).toEqual(before)
  })

  test.each([
    ['max-changes', {'max-changes': 2}],
    ['max-delete', {'max-delete': 2}],
  ])('%s limits apply and undo before the first change', async (_, policy) => {
    const ids = await some(3)
    const plan = join(world.folder, `${Object.keys(policy)[0]}.plan`)
    await world.run('rm', [...ids, '--plan', plan])
    const before = await titles(inside)
    expect((await under(policy, 'apply', [plan, '--yes'])).code).toBe(13)
    expect(await titles(inside)).toEqual(before)
    const csv = world.file('new.csv', 'title\nu1\nu2\nu3\n')
    expect((await world.run('files insert', ['--parent', inside, '--from', csv])).code).toBe(0)
    const made = await titles(inside)
    expect((await under(policy, 'undo', ['--yes'])).code).toBe(13)
    expect(await titles(inside)).toEqual(made)
  })
})
