import {spawn} from 'node:child_process'
import {chmodSync, cpSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {createService} from '#lib/service/index.js'
import {BINARY, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {type Outcome, runPlain} from '../../support/run-lines.js'
import {localToken, startWorld} from '../../support/world.js'
import {added, type Guess, listed} from './guesses.js'

/**
 * The first lines that users try work, or get an error with a line that works: each in its own home directory and
 * service.
 */

let stage: {readonly data: string; readonly env: Readonly<Record<string, string>>}
const stageFolder = temporaryFolder()

beforeAll(async () => {
  // An hour ahead: a file made just before midnight would be yesterday's when a line asks for today's.
  const world = await startWorld({clock: () => Date.now() + 3_600_000}, runHere)
  const [tree, photos] = [await world.make('tree', 'root'), await world.make('photos', 'root')]
  await world.make('mt', 'root')
  await world.make('report.txt', tree, 'report\nof the year\n')
  await world.make('report.txt', photos, 'report\nof the year\n')
  await world.make('plan.txt', tree, 'plan\n')
  await world.make('old.tmp', tree, 'x')
  await world.make('budget.csv', photos, 'a,b\n1,2\n')
  await world.make('twin.txt', photos, 'report\nof the year\n')
  await world.drv(
    'files insert',
    world.file('minutes', 'minutes'),
    '--title',
    'minutes',
    '--convert',
  )
  await world.make('outside.txt', photos, 'for everybody\n')
  await world.drv('files update', '/tree/report.txt', world.file('v2', 'report\nof the quarter\n'))
  await world.drv('share', '/tree/report.txt', 'eve@example.com', '--no-notify')
  await world.drv('share', '/photos/outside.txt', 'anyone', '--no-notify')
  await world.drv('properties insert', '/tree/plan.txt', '--key', 'kind', '--value', 'plan')
  await world.drv('drives insert', '--name', 'Team')
  cpSync(world.data, join(stageFolder.path, 'data'), {recursive: true})
  stage = {data: join(stageFolder.path, 'data'), env: world.env}
  await world.close()
})
afterAll(() => stageFolder.remove())

interface Machine {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/** A fresh home directory with a few files, signed in to a copy of the service. */
async function freshMachine(): Promise<Machine> {
  const {path: home, remove} = temporaryFolder()
  onTestFinished(remove)
  const data = join(home, 'service')
  cpSync(stage.data, data, {recursive: true})
  const service = await createService({data})
  onTestFinished(() => service.close())
  mkdirSync(join(home, 'bin'))
  mkdirSync(join(home, 'mt'))
  const drv = join(home, 'bin', 'drv')
  writeFileSync(drv, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`)
  chmodSync(drv, 0o755)
  for (const name of ['a.txt', 'mt/a.txt', 'mt/b.txt']) writeFileSync(join(home, name), `${name}\n`)
  writeFileSync(join(home, 'grants.csv'), 'file,who,role\n/tree/plan.txt,ada@example.com,reader\n')
  const env = {
    ...stage.env,
    HOME: home,
    ...Object.fromEntries(
      ['CONFIG', 'DATA', 'STATE'].map(name => [`XDG_${name}_HOME`, join(home, `.${name}`)]),
    ),
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    DRV_BASE_URL: service.url,
    DRV_AUTH_URL: service.url,
    DRV_TOKEN: await localToken(data),
  }
  return {home, env}
}

/** Runs a line to its end, in this process if it needs no shell. */
async function shell(line: string, {home, env}: Machine): Promise<Outcome> {
  const outcome = runPlain(line, {cwd: home, env})
  if (outcome) return outcome
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-o', 'pipefail', '-c', line], {cwd: home, env})
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('error', reject)
    child.on('close', code => resolve({code, stdout, stderr}))
    child.stdin.end()
  })
}

test.each<readonly [string, readonly Guess[]]>([
  ['listed', listed],
  ['all', [...listed, ...added]],
])('nine of ten %s lines work as typed', (_, lines) => {
  const working = lines.filter(({hint}) => hint === undefined)
  expect(working.length / lines.length).toBeGreaterThanOrEqual(0.9)
})

test.each([...listed, ...added])('$task', async ({line, then = [], out, code = 0, hint}) => {
  const machine = await freshMachine()
  const typed = /\bdrv\b/.test(line) ? line : `drv ${line}`
  const result = await shell(typed, machine)
  if (hint === undefined) {
    expect(result, typed).toMatchObject({code})
  } else {
    expect(result.code, typed).not.toBe(0)
    const [says, works] = hint
    expect(result.stderr).toContain(says)
    expect(await shell(works, machine), works).toMatchObject({code: 0})
  }
  if (out) expect(result.stdout).toMatch(out)
  for (const check of then) {
    expect(await shell(check, machine), check).toMatchObject({code: 0})
  }
})
