import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {pack, unpack} from '#lib/start/compiled.js'
import {installation, unknown, working} from '../../support/installation.js'

/** The cache of compiled code: V8 compiles the bundle once and reads the code back where that is safe. */

/** The properties of a file that change if another file replaces it. */
const identity = (file: string) => {
  const {ino, mtimeMs} = lstatSync(file)
  return {ino, mtimeMs}
}

const commandsIn = (file: string) => unpack(readFileSync(file))?.commands

describe('compiled code', () => {
  test('is written by the first use of a command, and read by later ones', () => {
    const {home, directory, drv, file} = installation()
    expect(drv('--version')).toEqual(working)
    for (const path of ['cache', 'cache/drv', 'cache/drv/compiled']) {
      expect(lstatSync(join(home, path)).mode & 0o777).toBe(0o700)
    }
    const first = identity(file())
    expect(lstatSync(file()).mode & 0o777).toBe(0o600)
    expect(commandsIn(file())).toEqual([])

    // Code that was not read or that V8 rejected would be written again.
    expect(drv('--version')).toEqual(working)
    expect(identity(file())).toEqual(first)

    expect(drv('auth list').status).toBe(0)
    const second = identity(file())
    expect(second).not.toEqual(first)
    expect(commandsIn(file())).toEqual(['auth:list'])
    expect(drv('auth list').status).toBe(0)
    expect(drv('--version')).toEqual(working)
    expect(identity(file())).toEqual(second)
    expect(readdirSync(directory)).toHaveLength(1)
  })

  test('is separate for another version of the bundle, and for other flags of V8', () => {
    const {root, directory, drv} = installation()
    expect(drv('flies get')).toEqual(unknown)
    const bundle = join(root, 'dist/drv.cjs')
    const text = readFileSync(bundle, 'latin1')
    // V8 would accept the old code, because the text has the same length.
    writeFileSync(bundle, text.replaceAll('Unknown command', 'There is no COMMAND'))
    expect(drv('flies get').stderr).toRead()
    expect(readdirSync(directory)).toHaveLength(2)
    writeFileSync(bundle, text)
    expect(drv('flies get')).toEqual(unknown)
    expect(readdirSync(directory)).toHaveLength(2)
    expect(drv('flies get', ['--stack-size=900'])).toEqual(unknown)
    expect(readdirSync(directory)).toHaveLength(3)
  })

  test('is not written if a command has changed the flags of V8, because it could not be read', () => {
    const {home, directory, drv} = installation()
    const change = join(home, 'change.cjs')
    const line = "require('node:v8').setFlagsFromString('--no-incremental-marking')"
    writeFileSync(change, `process.nextTick(() => ${line})`)
    expect(drv('--version', ['--require', change])).toEqual(working)
    expect(existsSync(directory)).toBe(false)
  })

  test('that is damaged, or rejected by V8, is ignored and replaced', () => {
    const {drv, file} = installation()
    drv('--version')
    const whole = readFileSync(file())
    const turned = Buffer.from(whole)
    turned[100_000]! ^= 1
    for (const content of [
      Buffer.alloc(0),
      Buffer.from('none'),
      whole.subarray(0, 100_000),
      turned,
      pack({code: Buffer.from('none'), commands: []}),
      pack({code: unpack(whole)!.code.subarray(0, 100_000), commands: []}),
    ]) {
      writeFileSync(file(), content)
      expect(drv('--version')).toEqual(working)
      expect(commandsIn(file())).toEqual([])
      expect(readFileSync(file()).equals(content)).toBe(false)
    }
  })

  test('does not accumulate', () => {
    const {directory, drv} = installation()
    mkdirSync(directory, {recursive: true, mode: 0o700})
    for (const path of [directory, join(directory, '..')]) chmodSync(path, 0o700)
    for (let age = 1; age <= 12; age++) {
      const old = join(directory, `v20.0.0-x64-00000000-${age}`)
      writeFileSync(old, '')
      utimesSync(old, 1000 - age, 1000 - age)
    }
    expect(drv('--version')).toEqual(working)
    const names = readdirSync(directory)
    expect(names).toHaveLength(8)
    expect(names).toContain('v20.0.0-x64-00000000-7')
    expect(names).not.toContain('v20.0.0-x64-00000000-8')
    expect(names.filter(name => name.startsWith(process.version))).toHaveLength(1)
  })

  test('is complete if several processes write it at once', async () => {
    const {env, program, drv, file} = installation()
    const commands = ['auth list', 'auth status', 'transfers list', '--version']
    await Promise.all(
      commands.map(args =>
        once(spawn(process.execPath, [program, ...args.split(' ')], {env}), 'close'),
      ),
    )
    expect(commandsIn(file())).toBeDefined()
    for (const args of commands) drv(args)
    expect([...commandsIn(file())!].sort()).toEqual(['auth:list', 'auth:status', 'transfers:list'])
  })
})

describe('without a writable cache, everything works', () => {
  const cases: ReadonlyArray<readonly [string, (home: string) => Record<string, string>]> = [
    [
      'below a file',
      home => {
        writeFileSync(join(home, 'file'), '')
        return {XDG_CACHE_HOME: join(home, 'file')}
      },
    ],
    ['where nothing can be written', () => ({XDG_CACHE_HOME: '/proc'})],
    ['without a home directory', () => ({XDG_CACHE_HOME: '', HOME: '.'})],
    [
      'in a home directory that is not there',
      home => ({XDG_CACHE_HOME: '', HOME: join(home, 'gone')}),
    ],
  ]
  test.each(cases)('%s', (_, change) => {
    const {home, env, drv} = installation()
    const changed = {...env, ...change(home)}
    const before = readdirSync(home)
    expect(drv('--version', [], changed)).toEqual(working)
    expect(drv('--version', [], changed)).toEqual(working)
    expect(readdirSync(home)).toEqual(before)
  })
})

describe('compiled code that another user may have written is not used', () => {
  /** Code at the right path that prints something else than the bundle. */
  function planted() {
    const {root, file, drv, ...rest} = installation()
    const bundle = join(root, 'dist/drv.cjs')
    const text = readFileSync(bundle, 'latin1')
    drv('flies get')
    const name = file()
    rmSync(name)
    writeFileSync(bundle, text.replaceAll('Unknown command', 'This is planted now'))
    drv('flies get')
    renameSync(file(), name)
    writeFileSync(bundle, text)
    return {...rest, file: name, drv}
  }

  test('but drv works', () => {
    expect(planted().drv('flies get').stderr).toRead()
  })

  const cases: ReadonlyArray<
    readonly [string, (place: {directory: string; file: string}) => void]
  > = [
    ['a directory that others may read', ({directory}) => chmodSync(directory, 0o750)],
    ['a directory that others may write to', ({directory}) => chmodSync(directory, 0o777)],
    ['a file that others may write to', ({file}) => chmodSync(file, 0o620)],
    [
      'a link to a directory',
      ({directory}) => {
        renameSync(directory, `${directory}.real`)
        symlinkSync(`${directory}.real`, directory)
      },
    ],
    [
      'a link to a file',
      ({file, directory}) => {
        renameSync(file, join(directory, '../real'))
        symlinkSync(join(directory, '../real'), file)
      },
    ],
  ]
  test.each(cases)('%s', (_, change) => {
    const {directory, file, drv} = planted()
    change({directory, file})
    expect(drv('flies get')).toEqual(unknown)
  })

  const isRoot = process.getuid?.() === 0
  test.skipIf(!isRoot).each(['directory', 'file'] as const)('a %s of another user', kind => {
    const place = planted()
    chownSync(place[kind], 12345, 12345)
    expect(place.drv('flies get')).toEqual(unknown)
  })

  test.skipIf(!isRoot)('nothing is written into the home of another user', () => {
    const {home, env, drv} = installation()
    chownSync(home, 12345, 12345)
    const changed = {...env, XDG_CACHE_HOME: ''}
    expect(drv('--version', [], changed)).toEqual(working)
    expect(readdirSync(home)).toEqual([])
  })
})
