import {existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from '../../support/drv.js'
import {missingKeyring, startKeyring, startMuteBus, withPatience} from '../../support/keyring.js'
import {fillDisk, missingMount, mountDisk} from '../../support/mount.js'
import {rounds} from '../../support/size.js'
import {localToken} from '../../support/world.js'

/** The token store is tested before a sign-in starts, because a token that cannot be stored is lost. */

let home: string
let env: Record<string, string>
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = freshEnvironment(home)
})

const WAYS = ['', '--web', '--with-token']

/** Signs in as a user who never responds. */
async function signIn(flags: string) {
  const args = `auth login --json ${flags}`.trim().split(/ +/)
  const child = startDrv(args, {env, cwd: home})
  onTestFinished(() => void child.kill())
  const said = {stdout: '', stderr: ''}
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const asked = new Promise<'asked'>(resolve => {
    child.stdout.on('data', () => {
      if (said.stdout.includes('authorization_required')) resolve('asked')
    })
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  return {child, said, asked, ended}
}

/** Signs in through one of the flows, without prompts. */
async function expectRefusal(way: string, words: RegExp, flags = '') {
  const {asked, ended, said} = await signIn(`${way} ${flags}`)
  expect(await Promise.race([asked, ended]), way + said.stderr).toBe(10)
  await ended
  expect(said.stderr, way).toMatch(words)
  expect(said.stdout).not.toContain('authorization_required')
}

/** Signs in through all flows at once. */
async function expectRefusals(words: RegExp, flags?: string) {
  await Promise.all(WAYS.map(way => expectRefusal(way, words, flags)))
}

/** Everything below a folder. */
const below = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, {recursive: true}).map(String) : []

describe('a keychain', () => {
  const WAY_OUT = '.*--insecure-storage.*DRV_TOKEN'

  describe('that works', () => {
    beforeEach(({skip}) => skip(missingKeyring !== undefined, missingKeyring))

    test('that is locked', async () => {
      const keyring = await startKeyring(env)
      env = keyring.env
      keyring.lock()
      // The keyring shows one prompt at a time; concurrent requests get any response, or none.
      for (const way of WAYS) await expectRefusal(way, new RegExp(`keychain is locked${WAY_OUT}`))
    })

    test('without a collection', async () => {
      const keyring = await startKeyring(env, 'without a collection')
      env = keyring.env
      await expectRefusals(new RegExp(`keychain${WAY_OUT}`))
    })

    test('that works is left unchanged', async () => {
      const keyring = await startKeyring(env)
      env = keyring.env
      for (const way of WAYS) {
        const {child, asked, ended} = await signIn(way)
        if (way === '--with-token') child.stdin.end('')
        else await asked.then(() => child.kill('SIGINT'))
        expect(await ended).toBe(way === '--with-token' ? 4 : 130)
        expect(keyring.accounts()).toEqual([])
        expect(below(join(home, 'config'))).toEqual([])
      }
    })

    test('is left unchanged when drv is killed in the middle', async () => {
      const keyring = await startKeyring(env)
      env = keyring.env
      /** Kills a sign-in at this point, or at a prompt; returns how far it got. */
      const killedAfter = async (calls: number) => {
        const {child, ended, said} = await signIn('')
        const made = callsOf(child.pid!)
        const isOn = () => child.exitCode === null && !said.stdout.includes('required')
        while (made() < calls && isOn()) await wait(2)
        child.kill('SIGKILL')
        await ended
        return made()
      }
      const whole = await killedAfter(Infinity)
      expect(whole).toBeGreaterThan(0)
      const kills = rounds(3, 10)
      for (let step = 1; step <= kills; step++) await killedAfter((whole * step) / kills)
      await expect.poll(() => childrenOf(home), {timeout: 10_000}).toEqual([])
      expect(keyring.accounts()).toEqual([])
      expect(below(join(home, 'config'))).toEqual([])
    })
  })

  describe.skipIf(process.platform !== 'linux').each([
    ['silent', false],
    ['friendly, and then silent', true],
  ])('on a bus that is %s', (_, greets) => {
    beforeEach(async () => {
      env = await startMuteBus(env, join(home, 'bus'), greets)
    })

    test('is not waited for', async () => {
      env = withPatience(env, 0.01)
      const started = performance.now()
      await expectRefusals(new RegExp(`keychain does not respond${WAY_OUT}`))
      // The bus itself waits for 25 seconds.
      expect(performance.now() - started).toBeLessThan(24_000)
      // A killed process needs some time to end.
      await expect.poll(() => childrenOf(home)).toEqual([])
    })

    test('is not waited for by any other command', async () => {
      const token = await localToken(join(home, 'data', 'drv', 'local'))
      const silent = env
      env = freshEnvironment(home)
      await note('keychain')
      env = withPatience(silent, 0.01)
      const lines = ['files list', 'auth token', 'auth status', 'auth login']
      const refusals = lines.map(async line => {
        const started = performance.now()
        const {code, stderr} = await runDrv(line.split(' '), {env, cwd: home})
        expect(performance.now() - started, line).toBeLessThan(24_000)
        expect(code, line).toBe(10)
        expect(stderr, line).toMatch(new RegExp(`keychain does not respond${WAY_OUT}`))
      })
      await Promise.all(refusals)
      const rescue = 'auth login --with-token --insecure-storage'
      expect((await runDrv(rescue.split(' '), {env, cwd: home, input: token})).code).toBe(0)
    })

    test('a profile is removed completely or not at all', async () => {
      env = withPatience(env, 0.01)
      const config = await note('keychain')
      const before = readFileSync(config, 'utf8')
      const {code, stderr} = await runDrv(['auth', 'remove', 'local'], {env, cwd: home})
      expect(code).toBe(10)
      expect(stderr).toRead()
      expect(readFileSync(config, 'utf8')).toBe(before)
    })

    // Less than the bus itself waits; drv would wait forever.
    test('blocks neither Ctrl-C nor --timeout', {timeout: 20_000}, async () => {
      env = withPatience(env, Infinity)
      const {child, ended, asked} = await signIn('')
      await expect.poll(() => childrenOf(home)).not.toEqual([])
      child.kill('SIGINT')
      expect(await Promise.race([asked, ended])).toBe(130)
      const {code, stderr} = await runDrv(['auth', 'login', '--timeout', '1.5'], {env, cwd: home})
      expect(code).toBe(8)
      expect(stderr).toRead()
    })

    test('is accessed by a process that has no secret', async () => {
      env = {...env, DRV_CLIENT_SECRET: 'canary-secret', NODE_OPTIONS: '--no-warnings'}
      const {child, ended} = await signIn('')
      await expect.poll(() => childrenOf(home)).not.toEqual([])
      const [pid] = childrenOf(home)
      const seen = ['cmdline', 'environ'].map(name => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
      expect(seen.join()).toContain('keychain')
      expect(seen.join()).not.toMatch(/canary-secret|no-warnings/)
      child.kill('SIGINT')
      await ended
    })
  })
})

describe('a disk', () => {
  beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

  describe.each([
    ['is full', 'size=64k', 'the disk is full'],
    ['cannot be written', 'ro', 'the file system is read-only'],
  ])('that %s', (_, options, why) => {
    const words = (place: string) =>
      new RegExp(`Cannot write to ${place}.*: ${why}\\..*DRV_CONFIG_DIR.*DRV_TOKEN`)

    test('below the home', async () => {
      const place = join(home, 'config')
      mountDisk(place, options)
      fillDisk(place)
      await expectRefusals(words(place), '--insecure-storage')
      expect(below(place).filter(name => name !== 'fill')).toEqual([])
    })

    test('with the configuration, whatever the state of the keychain', async ({skip}) => {
      skip(missingKeyring !== undefined, missingKeyring)
      const keyring = await startKeyring(env)
      const place = join(home, 'own')
      env = {...keyring.env, DRV_CONFIG_DIR: join(place, 'drv')}
      mountDisk(place, options)
      fillDisk(place)
      await expectRefusals(words(place))
      expect(keyring.accounts()).toEqual([])
    })

    test('with the tokens only', async () => {
      const place = join(home, 'config', 'drv', 'tokens')
      mountDisk(place, options)
      fillDisk(place)
      await expectRefusals(words(place), '--insecure-storage')
    })
  })

  test('with enough space is left unchanged', async () => {
    for (const way of ['', '--web']) {
      const {child, asked, ended} = await signIn(`${way} --insecure-storage`)
      await asked
      child.kill('SIGKILL')
      await ended
      expect(below(join(home, 'config'))).toEqual([])
    }
  })
})

/** Stores a sign-in with its token; returns the file of the record. */
async function note(store: 'keychain' | 'file') {
  const {writeConfig} = await import('#lib/config/config.js')
  const directory = join(home, 'config', 'drv')
  mkdirSync(directory, {recursive: true})
  await writeConfig(directory, {profiles: {local: {tokens: {local: {store}}}}})
  return join(directory, 'config.json')
}

/** The data of the system about a process; empty if it has ended. */
function read(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Counts the system calls in which a command and its helpers have read and written: a measure of progress that
 * does not depend on load.
 */
function callsOf(pid: number): () => number {
  const seen = new Map<string, number>()
  return () => {
    for (const each of [String(pid), ...childrenOf(home)]) {
      const calls = [...read(each, 'io').matchAll(/^sysc[rw]: (\d+)$/gm)]
      if (calls.length > 0)
        seen.set(
          each,
          calls.reduce((all, [, some]) => all + Number(some), 0),
        )
    }
    return [...seen.values()].reduce((all, calls) => all + calls, 0)
  }
}

/** The keychain processes of a command in this home directory. */
function childrenOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => read(pid, 'cmdline').includes('keychain.cjs'))
    .filter(pid => read(pid, 'environ').includes(`HOME=${folder}\0`))
}
