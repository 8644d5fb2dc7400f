import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {spawnSync} from 'node:child_process'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {freshEnvironment, runDrv, startDrv, temporaryFolder} from './drv.js'
import {authorizeDevice} from './person.js'

/** The README's commands, run as they stand there, one block after the other, on a fresh machine. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)

const {path: home, remove} = temporaryFolder()
const env: Record<string, string> = freshEnvironment(home)

beforeAll(async () => {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  const drv = join(bin, 'drv')
  writeFileSync(drv, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/run.js')}' "$@"\n`)
  chmodSync(drv, 0o755)
  env.PATH = `${bin}:${env.PATH}`
  writeFileSync(join(home, 'report.pdf'), '%PDF-1.4\n')
  writeFileSync(join(home, 'notes.txt'), 'notes\n')
  expect(await signIn()).toBe(0)
})
afterAll(remove)

/** The README's `drv auth login` by hand: it needs a person and, unlike here, a keychain. */
async function signIn(): Promise<number | null> {
  const child = startDrv(['auth', 'login', '--insecure-storage', '--json'], {env, cwd: home})
  child.stdout.once('data', (line: Buffer) => {
    const {verification_uri, user_code} = JSON.parse(line.toString()) as Record<string, string>
    void authorizeDevice(verification_uri!, user_code!)
  })
  return new Promise(settle => child.on('close', settle))
}

test('it has blocks to run', () => {
  expect(blocks.length).toBeGreaterThan(0)
})

test.each(blocks.map((block, index) => [index + 1, block]))('block %i', (_, block) => {
  const script = String(block).replace(/^drv auth login\b.*$/m, 'true')
  const result = spawnSync('sh', ['-euc', script], {env, cwd: home, encoding: 'utf8'})
  expect(result.stderr).not.toMatch(/^Error/m)
  expect(result.status).toBe(0)
})

test('it fits three screens, and every line a terminal of 105 columns', () => {
  const lines = readme.split('\n')
  expect(lines.length).toBeLessThanOrEqual(3 * 40)
  const isLong = (line: string) => line.length > 105 && !line.startsWith('|')
  expect(lines.filter(isLong)).toEqual([])
})

test('every link leads to a file', () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path]) => path!)
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter(path => !existsSync(join(root, path)))).toEqual([])
})

test('the packed file is as large as it says', () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent']
  const {stdout} = spawnSync('npm', pack, {cwd: root, encoding: 'utf8'})
  const [{size}] = JSON.parse(stdout) as [{size: number}]
  expect(readme).toContain(`a file of ${(size / 1e6).toFixed(1)} MB`)
})

test('drv is the version it says', async () => {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  expect((await runDrv(['--version'], {env})).stdout).toContain(`drv/${version}`)
})
