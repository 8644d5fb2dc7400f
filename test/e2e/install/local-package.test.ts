import {spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {temporaryFolder} from '../../support/drv.js'
import {ROOT} from '../../support/installation.js'

/** `drv/local`, as programs import it from the packed file. */

const {path: project, remove} = temporaryFolder()
afterAll(remove)

/** Runs a program in the project, and returns what it wrote. */
function run(program: string, ...args: string[]): string {
  const {status, stdout, stderr} = spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    env: {PATH: process.env.PATH, HOME: project, NO_COLOR: '1'},
  })
  expect(status, `${stdout}${stderr}`).toBe(0)
  return stdout
}

const node = (...args: string[]) => run(process.execPath, ...args)
const write = (name: string, text: string) => writeFileSync(join(project, name), text)
const module = (name: string) => join(project, 'node_modules', name)

beforeAll(() => {
  const packed = spawnSync(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', project],
    {cwd: ROOT, encoding: 'utf8'},
  ).stdout.trim()
  mkdirSync(module('drv'), {recursive: true})
  run('tar', '-xzf', packed, '-C', module('drv'), '--strip-components=1')
  const {dependencies} = JSON.parse(readFileSync(join(module('drv'), 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), 'vitest', 'typescript']) {
    mkdirSync(dirname(module(name)), {recursive: true})
    symlinkSync(join(ROOT, 'node_modules', name), module(name))
  }
  write('package.json', '{"type": "module"}')
})

test('a vitest suite runs: that of the guide', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/test-bench.md'), 'utf8')
  const [, suite] = /^```ts\n(.*?)^```$/ms.exec(guide)!
  write('guide.test.ts', suite!)
  expect(node('node_modules/vitest/vitest.mjs', 'run')).toMatch(/Tests\s+4 passed/)
})

test('a suite of node:test runs', () => {
  write(
    'node.mjs',
    `import assert from 'node:assert/strict'
import {after, test} from 'node:test'
import {createService} from 'drv/local'

const one = await createService()
const two = await createService({approve: 'ada'})
after(() => Promise.all([one.close(), two.close()]))

test('two services know nothing of each other', async () => {
  const authorization = \`Bearer \${one.token()}\`
  const get = service => fetch(\`\${service.baseUrl}/drive/v2/about\`, {headers: {authorization}})
  assert.equal((await get(one)).status, 200)
  assert.equal((await get(two)).status, 401)
  assert.deepEqual(two.requests().map(({status}) => status), [401])
})
`,
  )
  expect(node('--test', '--test-reporter=tap', 'node.mjs')).toContain('# pass 1')
})

test('its types stand alone, and are strict', () => {
  write(
    'types.ts',
    `import {createService, type LocalService, type RequestRecord, type Seed, type SeedFile, type Snapshot} from 'drv/local'

export async function use(): Promise<string> {
  await using service: LocalService = await createService({clock: new Date(0), approve: 'deny'})
  const token: string = service.token({user: 'ada', scopes: ['drive'], expiresIn: 60})
  service.faults({seed: 7, rules: [{operations: '*', fault: 'slow', bytesPerSecond: 1000}]})
  const now: number = await service.clock.advance('+16m')
  const requests: readonly RequestRecord[] = service.requests({path: /files/})
  const copy: Snapshot = await service.snapshot()
  await service.restore(copy)
  const files: readonly SeedFile[] = [{title: 'a', children: [{path: 'b'}]}]
  const seed: Seed = {users: [{login: 'ada', files}]}
  await service.seed(seed)
  // @ts-expect-error There is no such role.
  await service.seed({files: [{title: 'a', permissions: [{role: 'owner'}]}]})
  // @ts-expect-error There is no such failure.
  service.faults({rules: [{operations: '*', fault: 'explode'}]})
  // @ts-expect-error A port is a number.
  await createService({port: '80'})
  return \`\${token} \${now} \${requests.length} \${service.baseUrl} \${service.authUrl}\`
}
`,
  )
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: false,
    module: 'NodeNext',
    target: 'ES2022',
    types: [],
    noEmit: true,
  }
  write('tsconfig.json', JSON.stringify({compilerOptions: options, files: ['types.ts']}))
  node('node_modules/typescript/bin/tsc')
})

test('the JSON Schema of seeds has every field of their types', () => {
  const program = `import schema from 'drv/seed.schema.json' with {type: 'json'}
process.stdout.write(JSON.stringify(schema))`
  write('schema.mjs', program)
  const schema = JSON.parse(node('--no-warnings', 'schema.mjs'))
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  const types = readFileSync(join(module('drv'), 'dist/local.d.mts'), 'utf8')
  const fieldsOf = (name: string): string[] => {
    const [, base, body = ''] = new RegExp(
      `interface ${name} (?:extends (\\w+) )?\\{\\n(.*?)^\\}`,
      'ms',
    ).exec(types)!
    const own = [...body.matchAll(/^  readonly (\$?\w+)\??:/gm)].map(([, field]) => field!)
    return [...own, ...(base ? fieldsOf(base) : [])].sort()
  }
  const {users, apps, drives, organizations, appData} = schema.properties
  const known = {
    Seed: schema,
    SeedUser: users.items,
    SeedApp: apps.items,
    SeedDrive: drives.items,
    SeedOrganization: organizations.items,
    SeedAppData: appData.items,
    SeedFile: schema.$defs.file,
    SeedPermission: schema.$defs.permission,
    SeedRevision: schema.$defs.file.properties.revisions.items,
  }
  for (const [name, {properties}] of Object.entries<any>(known)) {
    expect(Object.keys(properties).sort(), name).toEqual(fieldsOf(name))
  }
})
