import {rmSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {isMutating, operations} from '#lib/api/operations.js'
import {type ChangingId, REVERSALS} from '#lib/history/reverse.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Each operation is sent, undone and done again; the records before and after are compared field by field. */

/** Fields that differ after a change and its reversal. */
const DIFFERING = new Set([
  ...['etag', 'version', 'modifiedDate', 'modifiedByMeDate', 'lastModifyingUser', 'selfLink'],
  // The content before is a new revision, and the service stores both.
  ...['headRevisionId', 'quotaBytesUsed', 'thumbnailVersion', 'downloadUrl', 'webContentLink'],
  // The service sets it when a file is opened or changed.
  ...['lastViewedByMeDate', 'labels.viewed', 'labels.modified', 'revisionId'],
])

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  await world.run('config set', ['history.full', 'true'])
})
afterAll(() => world.close())

function comparable(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map(item => comparable(item, path))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const at = path === '' ? name : `${path}.${name}`
      return DIFFERING.has(name) || DIFFERING.has(at) ? [] : [[name, comparable(field, at)]]
    }),
  )
}

/** The state of a file: its record, access, properties, labels and content. */
async function stateOf(id: string): Promise<unknown> {
  const file = await world.drv('files get', id)
  const content = file.fileSize === undefined ? '' : (await world.run('cat', [id])).stdout
  return comparable({
    file,
    content,
    permissions: await world.drv('permissions list', id),
    properties: await world.drv('properties list', id),
    labels: await world.drv('files list-labels', id),
  })
}

const stateOfDrive = async (id: string): Promise<unknown> =>
  comparable(await world.drv('drives get', id))

/** An operation on something that `make` prepares. */
interface Case {
  readonly make: () => Promise<Made>
  /** Whether it creates the item, so that there is no state before. */
  readonly creates?: (id: string) => Promise<void>
}

interface Made {
  readonly line: readonly [command: string, ...args: string[]]
  /** The state to compare. */
  readonly state: () => Promise<unknown>
}

let made = 0
const newFile = (content = 'one') => world.make(`file ${++made}.txt`, 'root', content)
const newFolder = () => world.make(`folder ${++made}`, 'root')
const newDrive = async () =>
  (await world.drv('drives insert', '--name', `drive ${++made}`)).id as string

const ofFile = (
  line: (id: string) => readonly [string, ...string[]],
  prepare: (id: string) => Promise<unknown> = async () => undefined,
): Case => ({
  async make() {
    const id = await newFile()
    await prepare(id)
    return {line: line(id), state: () => stateOf(id)}
  },
})

const ofDrive = (
  line: (id: string) => readonly [string, ...string[]],
  prepare: (id: string) => Promise<unknown> = async () => undefined,
): Case => ({
  async make() {
    const id = await newDrive()
    await prepare(id)
    return {line: line(id), state: () => stateOfDrive(id)}
  },
})

const share = (id: string, who = 'ada@example.com', role = 'writer') =>
  world.drv('permissions insert', id, '--role', role, '--type', 'user', '--value', who)

const titles = async () => (await world.children('root')).map(({title}) => title as string).sort()

/** A case whose effect is a new item: the children of My Drive are the state. */
const creating = (line: () => Promise<readonly [string, ...string[]]>): Case => ({
  make: async () => ({line: await line(), state: titles}),
})

const who = async (id: string) =>
  (
    (await world.drv('permissions list', id)).items as Array<{id: string; emailAddress?: string}>
  ).find(({emailAddress}) => emailAddress === 'ada@example.com')!.id

const CASES: Readonly<Partial<Record<ChangingId, readonly Case[]>>> = {
  'files.insert': [
    creating(async () => ['files insert', '--title', 'new']),
    creating(async () => ['files insert', world.file('up.txt', 'content')]),
  ],
  'files.copy': [creating(async () => ['files copy', await newFile(), '--title', 'a copy'])],
  'files.patch': [
    ofFile(id => ['files patch', id, '--title', 'other', '--description', 'new']),
    ofFile(
      id => ['files patch', id, '--description', 'second', '--starred'],
      id => world.drv('files patch', id, '--description', 'first'),
    ),
    {
      async make() {
        const [id, target] = [await newFile(), await newFolder()]
        return {
          line: ['files patch', id, '--add-parents', target, '--remove-parents', 'root'],
          state: () => stateOf(id),
        }
      },
    },
    ofFile(
      id => [
        'files patch',
        id,
        '--body',
        '{"properties":[{"key":"a","value":"2"},{"key":"b","value":"1","visibility":"PUBLIC"}]}',
      ],
      id => world.drv('properties insert', id, '--key', 'a', '--value', '1'),
    ),
    ofFile(id => ['files patch', id, '--body', '{"labels":{"trashed":true}}']),
    ofFile(id => [
      'files patch',
      id,
      '--no-writers-can-share',
      '--copy-requires-writer-permission',
    ]),
  ],
  'files.update': [
    ofFile(id => ['files update', id, '--title', 'other']),
    ofFile(id => ['files update', id, world.file('new.txt', 'other content')]),
    ofFile(id => ['files update', id, world.file('new.txt', 'third'), '--title', 'both']),
  ],
  'files.touch': [ofFile(id => ['files touch', id])],
  'files.trash': [
    ofFile(id => ['files trash', id]),
    ofFile(
      id => ['files trash', id],
      id => world.drv('files trash', id),
    ),
  ],
  'files.untrash': [
    ofFile(
      id => ['files untrash', id],
      id => world.drv('files trash', id),
    ),
  ],
  'files.modifyLabels': [
    ofFile(id => ['files modify-labels', id, '--body', '{"labelModifications":[{"labelId":"x"}]}']),
    ofFile(
      id => [
        'files modify-labels',
        id,
        '--body',
        '{"labelModifications":[{"labelId":"x","fieldModifications":[{"fieldId":"f","setTextValues":["two"]},{"fieldId":"g","setIntegerValues":["1"]}]}]}',
      ],
      id =>
        world.drv(
          'files modify-labels',
          id,
          '--body',
          '{"labelModifications":[{"labelId":"x","fieldModifications":[{"fieldId":"f","setTextValues":["one"]}]}]}',
        ),
    ),
    ofFile(
      id => [
        'files modify-labels',
        id,
        '--body',
        '{"labelModifications":[{"labelId":"x","removeLabel":true}]}',
      ],
      id =>
        world.drv(
          'files modify-labels',
          id,
          '--body',
          '{"labelModifications":[{"labelId":"x","fieldModifications":[{"fieldId":"u","setUserValues":["ada@example.com"]}]}]}',
        ),
    ),
  ],
  'children.insert': [
    {
      async make() {
        const [id, folder] = [await newFile(), await newFolder()]
        return {line: ['children insert', folder, '--id', id], state: () => stateOf(id)}
      },
    },
  ],
  'children.delete': [
    {
      async make() {
        const folder = await newFolder()
        const id = await world.make('child.txt', folder, 'one')
        return {line: ['children delete', folder, id, '--yes'], state: () => stateOf(id)}
      },
    },
  ],
  'parents.insert': [
    {
      async make() {
        const [id, folder] = [await newFile(), await newFolder()]
        return {line: ['parents insert', id, '--id', folder], state: () => stateOf(id)}
      },
    },
  ],
  'parents.delete': [
    {
      async make() {
        const folder = await newFolder()
        const id = await world.make('child.txt', folder, 'one')
        return {line: ['parents delete', id, folder, '--yes'], state: () => stateOf(id)}
      },
    },
  ],
  'permissions.insert': [
    ofFile(id => [
      'permissions insert',
      id,
      '--role',
      'reader',
      '--type',
      'user',
      '--value',
      'ada@example.com',
    ]),
    ofFile(id => ['permissions insert', id, '--role', 'reader', '--type', 'anyone', '--with-link']),
    ofFile(
      id => [
        'permissions insert',
        id,
        '--role',
        'reader',
        '--type',
        'user',
        '--value',
        'ada@example.com',
      ],
      id => share(id),
    ),
  ],
  'permissions.delete': [
    ofFile(
      id => ['permissions delete', id, 'ada@example.com', '--yes'],
      id => share(id),
    ),
    ofFile(
      id => ['permissions delete', id, 'anyone', '--yes'],
      id => world.drv('share', id, 'anyone'),
    ),
    ofFile(
      id => ['unshare', id, 'ada@example.com'],
      id => world.drv('share', id, 'ada@example.com', '--role', 'commenter', '--expires', '30d'),
    ),
  ],
  'permissions.patch': [
    {
      async make() {
        const id = await newFile()
        await share(id)
        return {
          line: [
            'permissions patch',
            id,
            await who(id),
            '--role',
            'reader',
            '--expiration-date',
            '30d',
          ],
          state: () => stateOf(id),
        }
      },
    },
    ofFile(
      id => ['share', id, 'ada@example.com', '--role', 'commenter'],
      id => share(id),
    ),
  ],
  'permissions.update': [
    {
      async make() {
        const id = await newFile()
        await share(id)
        return {
          line: ['permissions update', id, await who(id), '--role', 'reader'],
          state: () => stateOf(id),
        }
      },
    },
  ],
  'properties.insert': [
    ofFile(id => ['properties insert', id, '--key', 'k', '--value', 'v']),
    ofFile(
      id => ['properties insert', id, '--key', 'k', '--value', 'v'],
      id => world.drv('properties insert', id, '--key', 'k', '--value', 'before'),
    ),
  ],
  'properties.delete': [
    ofFile(
      id => ['properties delete', id, 'k'],
      id => world.drv('properties insert', id, '--key', 'k', '--value', 'before'),
    ),
  ],
  'properties.patch': [
    ofFile(
      id => ['properties patch', id, 'k', '--value', 'after'],
      id => world.drv('properties insert', id, '--key', 'k', '--value', 'before'),
    ),
  ],
  'properties.update': [
    ofFile(
      id => ['properties update', id, 'k', '--body', '{"visibility":"PUBLIC"}'],
      id => world.drv('properties insert', id, '--key', 'k', '--value', 'before'),
    ),
  ],
  'revisions.patch': [pinning('revisions patch')],
  'revisions.update': [pinning('revisions update')],
  'drives.insert': [
    {
      make: async () => ({
        line: ['drives insert', '--name', 'Temporary'],
        state: async () =>
          (await world.drv('drives list', '--all')).items.map(({name}: {name: string}) => name),
      }),
    },
  ],
  'drives.hide': [ofDrive(id => ['drives hide', id])],
  'drives.unhide': [
    ofDrive(
      id => ['drives unhide', id],
      id => world.drv('drives hide', id),
    ),
  ],
  'drives.update': [
    ofDrive(id => ['drives update', id, '--name', 'renamed']),
    ofDrive(id => ['drives update', id, '--body', '{"colorRgb":"#123456"}']),
    ofDrive(id => ['drives update', id, '--body', '{"restrictions":{"driveMembersOnly":true}}']),
  ],
}

function pinning(command: string): Case {
  return {
    async make() {
      const id = await newFile()
      const revisions = () => world.drv('revisions list', id)
      const [{id: revision}] = (await revisions()).items
      return {
        line: [command, id, revision, '--pinned'],
        state: async () => comparable(await revisions()),
      }
    },
  }
}

/** Operations whose effect is permanent. */
const PERMANENT: ReadonlyArray<
  readonly [ChangingId, () => Promise<readonly [string, ...string[]]>]
> = [
  ['files.delete', async () => ['files delete', await newFile(), '--yes']],
  ['files.emptyTrash', async () => ['files empty-trash', '--yes']],
  ['drives.delete', async () => ['drives delete', await newDrive(), '--yes']],
  [
    'revisions.delete',
    async () => {
      const id = await newFile()
      await world.drv('files update', id, world.file('second.txt', 'second'))
      const [{id: revision}] = (await world.drv('revisions list', id)).items
      return ['revisions delete', id, revision, '--yes']
    },
  ],
]

test('every operation that changes something has a reversal and is tried', () => {
  const changing = operations.filter(isMutating).map(({operationId}) => operationId)
  expect(Object.keys(REVERSALS).sort()).toEqual([...changing].sort())
  const tried = [...Object.keys(CASES), ...PERMANENT.map(([id]) => id)]
  expect(tried.sort()).toEqual([...changing].sort())
})

/** Cases that change nothing, or only fields that differ anyway. */
const UNCHANGED = new Set(['files.touch', 'files.trash (2)'])

test('undo restores the modified date that touch replaced', async () => {
  const id = await newFile()
  const dateOf = async () => (await world.drv('files get', id)).modifiedDate as string
  const date = '2020-01-02T03:04:05.000Z'
  await world.drv('files patch', id, '--set-modified-date', '--modified-date', date)
  await world.drv('files touch', id)
  expect(await dateOf()).not.toBe(date)
  expect((await world.run('undo', ['--yes'])).code).toBe(0)
  expect(await dateOf()).toBe(date)
})

/** The newest command of the history. */
async function lastCommand(): Promise<{id: string; changes: number; state: string}> {
  return (await world.drv('history'))[0]
}

const cases = Object.entries(CASES).flatMap(([id, all]) =>
  all.map((one, index) => [all.length > 1 ? `${id} (${index + 1})` : id, one] as const),
)

describe('undo', () => {
  test.each(cases)('%s', async (name, {make}) => {
    const {line, state} = await make()
    const before = await state()
    const [command, ...args] = line
    const done = await world.run(command, [...args, '--quiet'])
    expect(done.code, done.stderr).toBe(0)
    const {id} = await lastCommand()
    const after = await state()
    if (UNCHANGED.has(name)) expect(after).toEqual(before)
    else expect(after).not.toEqual(before)

    const undone = await world.run('undo', ['--yes'])
    expect(undone.code, undone.stderr).toBe(name === 'files.trash (2)' ? 5 : 0)
    expect(await state()).toEqual(before)
    if (UNCHANGED.has(name)) return
    const runs: Array<{id: string; state: string}> = (await world.drv('history')) as never
    expect(runs.find(run => run.id === id)!.state).toBe('undone')

    const again = await world.run('undo', [runs[0]!.id, '--yes'])
    if (name === 'drives.insert') return expect(again.code).toBe(12)
    expect(again.code, again.stderr).toBe(0)
    expect(await state()).toEqual(after)
  })

  test.each(PERMANENT)('%s is listed as permanent', async (_, line) => {
    const [command, ...args] = await line()
    expect((await world.run(command, args)).code).toBe(0)
    const {id} = await lastCommand()
    const undone = await world.run('undo', [id, '--yes'])
    expect(undone.code).toBe(12)
    const [step] = await world.drv('history', '--steps')
    expect(step.undoable).toBe(false)
    expect(step.reason).toRead()
    expect(undone.stderr).toContain(step.reason)
  })

  test('watching for changes is not recorded, because it changes no files', async () => {
    const recorded = await world.drv('history')
    const channel = ['--id', 'channel-1', '--address', 'https://example.com/hook']
    const made = await world.drv('files watch', await newFile(), ...channel)
    await world.drv('changes watch', '--id', 'channel-2', '--address', 'https://example.com/hook')
    await world.drv('channels stop', '--id', 'channel-1', '--resource-id', made.resourceId)
    expect(await world.drv('history')).toEqual(recorded)
  })
})

test('nothing is recorded with --no-history', async () => {
  rmSync(join(world.env.XDG_STATE_HOME!, 'drv/history'), {recursive: true, force: true})
  await world.run('files insert', ['--title', 'unrecorded', '--no-history'])
  await world.run('files insert', ['--title', 'unrecorded'], {env: {DRV_NO_HISTORY: '1'}})
  expect(await world.drv('history')).toEqual([])
})
