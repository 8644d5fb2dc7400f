import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {runDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

/** Changes to a tree while `push` or `pull` works in it. */

let world: World
let folder: string
/** Called when the service receives a request for the operation that `watch` named. */
let onRequest = () => {}

/** A world that calls `onRequest` while it handles the first request for an operation. */
async function watch(operation: string, via?: string, run: typeof runDrv = runHere): Promise<void> {
  const rule = {operations: operation, via, fault: 'slow', bytesPerSecond: 1e9, calls: [1]}
  const faults = readFaultPlan(JSON.stringify({rules: [rule]}))
  world = await startWorld({faults, onFault: () => onRequest()}, run)
  folder = realpathSync(world.folder)
}

beforeEach(() => {
  onRequest = () => {}
})
afterEach(() => world.close())

function becomesLink(path: string, target: string): void {
  renameSync(path, `${path}.before`)
  symlinkSync(target, path)
}

/** All files below a directory, by path. */
function localTree(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path, {recursive: true, withFileTypes: true})
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(file => [file.slice(path.length + 1), readFileSync(file, 'utf8')]),
  )
}

const LARGE = 'large '.repeat(400_000)

describe('a pull', () => {
  test.each([
    ['new small files', 'small', []],
    ['new large files', LARGE, []],
    ['files that are replaced', 'small', ['sub/a.txt', 'sub/b.txt']],
  ])('does not follow a folder that becomes a link: %s', async (_, content, old) => {
    await watch('files.get', 'download')
    const top = await world.make('top', 'root')
    const sub = await world.make('sub', top)
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await world.make(name, sub, content)
    const target = join(folder, 'target')
    const outside = join(folder, 'outside')
    mkdirSync(join(target, 'sub'), {recursive: true})
    mkdirSync(outside)
    for (const name of old) writeFileSync(join(target, name), 'old')
    writeFileSync(join(outside, 'a.txt'), 'of somebody else')
    onRequest = () => {
      onRequest = () => {}
      becomesLink(join(target, 'sub'), outside)
    }
    const result = await world.run('pull', [`${top}/`, target, '--json'])
    expect(result.code, result.stderr).toBe(9)
    expect(result.json().failed[0].reason).toRead()
    expect(result.stderr).not.toContain('/proc/')
    expect(localTree(outside)).toEqual({'a.txt': 'of somebody else'})
  })

  test('does not resume an interrupted transfer outside of the tree', async () => {
    await watch('files.get', 'download', runDrv)
    const top = await world.make('top', 'root')
    await world.make('large.bin', await world.make('sub', top), LARGE)
    const target = join(folder, 'target')
    const {run, env} = world
    const transfers = join(env.XDG_STATE_HOME!, 'drv/transfers')
    const isKept = () =>
      existsSync(transfers) && readdirSync(transfers).some(name => name.endsWith('.json'))
    const killed = await run('pull', [`${top}/`, target, '--limit-rate', '300K'], {
      ending: {signal: 'SIGINT', when: isKept},
    })
    expect(killed.code, killed.stderr).toBe(130)
    if (!isKept()) return
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    becomesLink(join(target, 'sub'), outside)
    const result = await run('transfers', ['resume'])
    expect(result.code).not.toBe(0)
    expect(readdirSync(outside)).toEqual([])
  }, 30_000)

  test.each(['.drv-trash', '.drv-trash/STAMP'])(
    'puts nothing aside through a link: %s',
    async at => {
      await watch('files.list')
      const top = await world.make('top', 'root')
      await world.make('kept.txt', top, 'kept')
      const target = join(folder, 'target')
      const outside = join(folder, 'outside')
      mkdirSync(target)
      mkdirSync(outside)
      writeFileSync(join(target, 'mine.txt'), 'mine')
      if (at === '.drv-trash') symlinkSync(outside, join(target, at))
      else {
        // The name of the folder is the start time of the command.
        mkdirSync(join(target, '.drv-trash'))
        onRequest = () => {
          const now = Date.now()
          for (let ago = 0; ago < 20_000; ago++) {
            const stamp = new Date(now - ago).toISOString().replaceAll(':', '-')
            symlinkSync(outside, join(target, '.drv-trash', stamp))
          }
        }
      }
      const result = await world.run('pull', [`${top}/`, target, '--delete', '--yes', '--json'])
      expect(result.code, result.stderr).toBe(9)
      expect(result.json().failed).toMatchObject([{path: 'mine.txt'}])
      expect(readFileSync(join(target, 'mine.txt'), 'utf8')).toBe('mine')
      expect(readdirSync(outside)).toEqual([])
    },
  )
})

describe('a push', () => {
  test.each<[string, (source: string, secret: string) => void]>([
    [
      'a file that becomes a link',
      (source, secret) => becomesLink(join(source, 'sub/id'), join(secret, 'id')),
    ],
    ['a folder that becomes a link', (source, secret) => becomesLink(join(source, 'sub'), secret)],
    [
      'a file that becomes another one',
      source => writeFileSync(join(source, 'sub/id'), 'TOP SECRET'),
    ],
  ])('does not send %s', async (_, change) => {
    await watch('files.generateIds')
    const top = await world.make('top', 'root')
    const source = join(folder, 'source')
    const secret = join(folder, 'secret')
    mkdirSync(join(source, 'sub'), {recursive: true})
    mkdirSync(secret)
    writeFileSync(join(source, 'sub/id'), 'mine')
    writeFileSync(join(source, 'fine.txt'), 'fine')
    writeFileSync(join(secret, 'id'), 'TOP SECRET')
    onRequest = () => {
      onRequest = () => {}
      change(source, secret)
    }
    const result = await world.run('push', [`${source}/`, top, '--json'])
    expect(result.code, result.stderr).toBe(9)
    expect(result.json()).toMatchObject({created: 1, failed: [{path: 'sub/id'}]})
    const [sub] = (await world.children(top)).filter(({title}) => title === 'sub')
    expect(await world.children(sub.id)).toEqual([])
    // The next run uploads it as it is then.
    rmSync(join(source, 'sub'), {recursive: true})
    mkdirSync(join(source, 'sub'))
    writeFileSync(join(source, 'sub/id'), 'mine')
    expect(await world.drv('push', `${source}/`, top)).toMatchObject({failed: []})
    expect(await world.children(sub.id)).toMatchObject([{title: 'id', fileSize: '4'}])
  })
})

describe('two pulls into one folder at once', () => {
  const ROUNDS = rounds(1, 3)
  const FILES = 40

  async function remoteFolder(): Promise<Record<string, string>> {
    await watch('files.list', undefined, runDrv)
    const top = await world.make('top', 'root')
    const sub = await world.make('sub', top)
    const tree: Record<string, string> = {}
    for (let n = 0; n < FILES; n++) {
      const content = `content ${n}`
      await world.make(`f${n}.txt`, n % 2 ? sub : top, content)
      tree[`${n % 2 ? 'sub/' : ''}f${n}.txt`] = content
    }
    await world.make('large.bin', top, LARGE)
    tree['large.bin'] = LARGE
    return tree
  }

  test.each([
    ['of one machine', () => ({})],
    ['of two machines', (index: number) => ({XDG_STATE_HOME: join(folder, `state ${index}`)})],
  ])(
    'both end well: processes %s',
    async (_, envOf) => {
      const tree = await remoteFolder()
      for (let round = 0; round < ROUNDS; round++) {
        const target = join(folder, `target ${round}`)
        const results = await Promise.all(
          [0, 1, 2].map(index =>
            world.run('pull', ['/top/', target, '--json'], {env: envOf(index)}),
          ),
        )
        expect(results.map(({code, stderr}) => [code, stderr.match(/Failed.*/g)])).toEqual(
          results.map(() => [0, null]),
        )
        expect(localTree(target)).toEqual(tree)
      }
    },
    90_000,
  )

  test('a file that appears with other content is kept and reported', async () => {
    await watch('files.get', 'download')
    const top = await world.make('top', 'root')
    for (const name of ['a.txt', 'b.txt']) await world.make(name, top, 'theirs')
    const target = join(folder, 'target')
    onRequest = () => writeFileSync(join(target, 'a.txt'), 'mine')
    const result = await world.run('pull', [`${top}/`, target, '--json'])
    expect(result.code).toBe(9)
    const {failed} = result.json()
    expect(failed).toMatchObject([{path: 'a.txt'}])
    expect(failed[0].reason).toRead()
    expect(result.stderr).not.toContain('--force')
    expect(localTree(target)).toEqual({'a.txt': 'mine', 'b.txt': 'theirs'})
  })

  test('both replace changed files', async () => {
    const tree = await remoteFolder()
    const target = join(folder, 'target')
    expect((await world.run('pull', ['/top/', target])).code).toBe(0)
    for (const path of Object.keys(tree)) writeFileSync(join(target, path), 'old')
    const results = await Promise.all(
      [0, 1].map(() => world.run('pull', ['/top/', target, '--delete', '--yes'])),
    )
    expect(results.map(({code}) => code)).toEqual([0, 0])
    expect(localTree(target)).toEqual(tree)
  }, 60_000)

  test('leave no partial files if one is killed', async () => {
    const tree = await remoteFolder()
    for (let round = 0; round < ROUNDS; round++) {
      const target = join(folder, `target ${round}`)
      const arrived = () => (existsSync(target) ? readdirSync(target).length : 0)
      const when = () => arrived() > 3 + round * 7
      const [killed, other] = await Promise.all([
        world.run('pull', ['/top/', target], {ending: {signal: 'SIGKILL', when}}),
        world.run('pull', ['/top/', target]),
      ])
      expect(other.code, other.stderr).toBe(0)
      for (const [path, content] of Object.entries(tree)) {
        expect(readFileSync(join(target, path), 'utf8')).toBe(content)
      }
      // The leftovers of the killed run are removed.
      expect((await world.run('pull', ['/top/', target])).code).toBe(0)
      expect(localTree(target)).toEqual(tree)
      expect(killed.signal === 'SIGKILL' || killed.code === 0).toBe(true)
    }
  }, 90_000)
})

test('a part that another process writes to is neither used nor removed', async () => {
  await watch('files.list')
  const {partOf} = await import('#lib/transfer/target.js')
  const top = await world.make('top', 'root')
  await world.make('large.bin', top, LARGE)
  const target = join(folder, 'target')
  mkdirSync(target)
  const part = partOf(join(target, 'large.bin'))
  writeFileSync(part, 'of a process of another machine')
  expect(await world.drv('pull', `${top}/`, target)).toMatchObject({created: 1})
  expect(await world.drv('pull', `${top}/`, target)).toMatchObject({unchanged: 1})
  expect(readFileSync(part, 'utf8')).toBe('of a process of another machine')
  expect(lstatSync(join(target, 'large.bin')).size).toBe(LARGE.length)
})
