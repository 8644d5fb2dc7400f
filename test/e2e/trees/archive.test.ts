import {execFile, execFileSync} from 'node:child_process'
import {readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {BINARY} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let top: string
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const {drv, make, file} = world
  top = await make('tree', 'root')
  const inner = await make('Müller & 報告', top)
  await make('a.txt', top, 'first\n')
  await make(`${'n'.repeat(150)}.txt`, inner, 'long\n')
  await make('Q1/Q2', inner, 'slash\n')
  await make('twin.txt', inner, 'one')
  await make('twin.txt', inner, 'two')
  await make('empty', top)
  await make('nothing.txt', top, '')
  const {id} = await drv('files insert', file('t.csv', 'a,b\n'), '--convert', '--parent', top)
  await drv('files patch', id, '--title', 'Budget')
})
afterAll(() => world.close())

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Runs a shell command line with `drv` in it; throws unless it exits with 0. */
async function shell(line: string): Promise<{stdout: string; stderr: string}> {
  const drv = `drv() { ${quoted(process.execPath)} ${quoted(BINARY)} "$@"; }`
  const env = {...world.env, LC_ALL: 'C.UTF-8'}
  return promisify(execFile)('bash', ['-c', `set -o pipefail; ${drv}; ${line}`], {
    ...{cwd: world.folder, env},
  })
}

test('a folder goes through a pipe as an archive that tar unpacks', async () => {
  const {stderr} = await shell('mkdir -p out && drv pull /tree - --export csv | tar -x -C out')
  const text = stderr.replace(/in \d+\.\d s/, 'in 0.1 s').replaceAll(/ID [\w-]+/g, 'ID 1')
  // The order of the twins depends on their IDs.
  const sorted = (list: string) => list.split(', ').sort().join(', ')
  expect(text.replace(/(?<=saved as )tree.*twin.*/, sorted)).toRead()
  const out = join(world.folder, 'out', 'tree')
  expect(readdirSync(out).sort()).toEqual([
    ...['Budget.csv', 'Müller & 報告', 'a.txt', 'empty', 'nothing.txt'],
  ])
  const inner = join(out, 'Müller & 報告')
  expect(readdirSync(inner).sort()).toEqual(
    [`${'n'.repeat(150)}.txt`, 'Q1／Q2', 'twin (1).txt', 'twin.txt'].sort(),
  )
  expect(readFileSync(join(inner, `${'n'.repeat(150)}.txt`), 'utf8')).toBe('long\n')
  expect(readFileSync(join(out, 'Budget.csv'), 'utf8')).toBe('a,b\n')
  const {modifiedDate} = await world.drv('stat', '/tree/a.txt')
  const seconds = Math.floor(Date.parse(modifiedDate) / 1000)
  expect(Math.floor(statSync(join(out, 'a.txt')).mtimeMs / 1000)).toBe(seconds)
})

test('entries are in the order of the listing, a folder before its contents', async () => {
  const list = 'tar -t --quoting-style=literal'
  const {stdout} = await shell(`drv pull /tree/ - --exclude 'Müller*' | ${list}`)
  expect(stdout).toBe('a.txt\nempty/\nnothing.txt\n')
  const {stdout: again} = await shell(`drv pull id:${top} - --format tar -q | ${list}`)
  expect(again.split('\n')[0]).toBe('tree/')
  const inFolder = again.split('\n').filter(name => name.includes('報告/'))
  expect(inFolder[0]).toBe('tree/Müller & 報告/')
})

test('--format tar packs files too, several as well', async () => {
  const {stdout} = await shell('drv pull /tree/a.txt /tree/nothing.txt - --format tar | tar -t')
  expect(stdout).toBe('a.txt\nnothing.txt\n')
  const {stdout: one} = await shell('drv pull /tree/a.txt - --format=tar | tar -xO a.txt')
  expect(one).toBe('first\n')
})

test('shortcuts are followed, those in folders with their own names', async () => {
  await world.drv('ln', '-s', '/tree', '/way')
  const {stdout} = await shell('drv pull /way - -q | tar -t | sed -n 1p')
  expect(stdout).toBe('way/\n')
  await world.drv('mkdir', '/holder')
  await world.drv('ln', '-s', '/tree/a.txt', '/holder/a')
  expect((await shell('drv pull /holder - | tar -xO holder/a')).stdout).toBe('first\n')
  const {stderr} = await shell('drv pull /holder - --no-follow | tar -t')
  expect(stderr).toRead()
})

test('a dry run lists the entries', async () => {
  const rows = await world.run('pull /tree/ - --dry-run --format csv')
  expect(rows.code).toBe(0)
  expect(rows.stdout).toContain('download,a.txt,6')
})

test.each([
  ['--format tar to a folder', 'pull /tree out --format tar'],
  ['--delete', 'pull /tree - --delete --yes'],
  ['--if-exists', 'pull /tree - --if-exists rename'],
  ['several files without a format', 'pull /tree/a.txt /tree/nothing.txt -'],
  ['--json', 'pull /tree - --format tar --json'],
  ['--jq', 'pull /tree - --format tar --jq .'],
  ['tar as a format of other commands', 'ls / --format tar'],
])('is refused: %s', async (_, line) => {
  const {code, stdout, stderr} = await world.run(line)
  expect({code, stdout}).toEqual({code: 2, stdout: ''})
  expect(stderr).toRead()
})

test.skipIf(missingTerminal !== undefined)('no archive goes to a terminal', async () => {
  const drv = startAtTerminal(['pull', '/tree', '-'], {env: world.env, columns: 200})
  expect(await drv.ended).toBe(2)
  expect(drv.output()).toRead()
})

test('with --json standard error is empty or one document', async () => {
  const {stdout, stderr} = await shell('drv pull /tree - --json | tar -t')
  expect(stdout).toContain('tree/a.txt\n')
  expect(stderr).toBe('')
})

test('a reader that stops early causes no error', async () => {
  writeFileSync(join(world.folder, 'big.bin'), Buffer.alloc(8 * 1024 * 1024, 7))
  await world.drv('push', 'big.bin', '/big/')
  const line = `{ drv pull /big - --format tar; echo "code $?" >&2; } | head -c 100000 | wc -c`
  const {stdout, stderr} = await shell(line)
  expect(stdout.trim()).toBe('100000')
  expect(stderr).toBe('code 0\n')
  const {stdout: sum} = await shell('drv pull /big - -q | tar -xO big/big.bin | cksum')
  expect(sum).toBe(
    execFileSync('cksum', {input: Buffer.alloc(8 * 1024 * 1024, 7), encoding: 'utf8'}),
  )
})
