import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {freshEnvironment, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {serve} from '../../support/serve.js'

let home: string
let remove: () => void
let env: Record<string, string>
let own: string
beforeAll(async () => {
  ;({path: home, remove} = temporaryFolder())
  env = freshEnvironment(home)
  own = (await runHere(['api', 'describe', '--json'], {env})).stdout
  // A warning: an unknown field.
  writeFileSync(join(home, 'released.json'), own.replace('"kind":', '"ownerName": "us", "kind":'))
  writeFileSync(join(home, 'broken.json'), own.replace('"kind":', '"sort":'))
  writeFileSync(join(home, 'later.json'), own.replace('"revision": "', '"revision": "9'))
  writeFileSync(join(home, 'next.json'), own.replaceAll('"files/{fileId}/trash"', '"bin/{fileId}"'))
  writeFileSync(
    join(home, 'odd.json'),
    own.replace('"properties": {', '"properties": 5, "extra": {'),
  )
  writeFileSync(join(home, 'text.txt'), 'no JSON')
  writeFileSync(join(home, 'other.json'), '{"kind": "drive#file"}')
})
afterAll(() => remove())

const run = (line: string, input?: string) => runHere(line.split(' '), {env, cwd: home, input})

interface Finding {
  readonly place: string
  readonly rule: string
  readonly text: string
  readonly isBreach: boolean
}

describe('api validate', () => {
  test('a valid description ends with 0, and lists warnings', async () => {
    const {code, stderr, json} = await run('api validate released.json --json')
    expect(code).toBe(0)
    expect(json<Finding[]>().map(({isBreach}) => isBreach)).not.toContain(true)
    expect(stderr).toBe('')
    expect((await run('api validate released.json')).stderr).toMatch(
      /^released\.json .*: no errors, 1 warning\.\n$/,
    )
  })

  test('an invalid one ends with 1, errors first', async () => {
    const {code, stderr, json} = await run('api validate broken.json --json')
    expect(code).toBe(1)
    const findings = json<Finding[]>()
    expect(findings[0]).toMatchObject({place: 'kind', rule: 'needed', isBreach: true})
    expect(findings).toContainEqual(expect.objectContaining({place: 'sort', isBreach: false}))
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        exit: 1,
        message: expect.stringMatching(/^broken\.json .*: 1 error, 1 warning\.$/),
      },
    })
  })

  test('people see a block for each finding, within 80 columns', async () => {
    const {code, stdout, stderr} = await run(
      'api validate - --format table',
      '{"icons": {"x16": 1}}',
    )
    expect(code).toBe(1)
    expect(stdout).toRead()
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(stderr).toRead()
  })

  test('names in the description cannot control a terminal', async () => {
    const {stdout} = await run('api validate - --format table', '{"\\u001b[2J\\u0007x": 1}')
    expect(stdout).toContain('[2J x')

    expect(stdout).not.toMatch(/[\u0007\u001b]/)
  })

  test('columns can be chosen, and --quiet prints nothing else', async () => {
    const {stdout, stderr, code} = await run('api validate released.json --columns rule -q')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^([a-z-]+\n)+$/)
    expect(stderr).toBe('')
  })

  test('the example for jq selects the errors', async () => {
    const line = ['api', 'validate', 'broken.json', '--jq', '.[] | select(.isBreach) | .place']
    expect((await runHere(line, {env, cwd: home})).stdout).toBe('kind\n')
  })

  test('a URL is fetched without a token', async () => {
    const asked: Array<string | undefined> = []
    const {url: root} = await serve((request, response) => {
      asked.push(request.headers.authorization)
      response.setHeader('content-type', 'application/json').end(own)
    })
    const url = `${root}/description`
    const {code, stderr} = await runHere(['api', 'validate', url], {
      env: {...env, DRV_TOKEN: 'a-token'},
    })
    expect([code, asked]).toEqual([0, [undefined]])
    expect(stderr).toRead()
  })

  test.each([
    ['api validate missing.json', 'missing.json'],
    ['api validate text.txt', 'text.txt is not valid JSON'],
    ['api validate', 'Missing DOCUMENT'],
  ])('%s is rejected', async (line, words) => {
    const {code, stdout, stderr} = await run(line)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(words)
  })
})

describe('api diff', () => {
  test('the built-in description equals that of the local service', async () => {
    const {code, json, stderr} = await run('api diff --json')
    expect([code, json<unknown[]>(), stderr]).toEqual([0, [], ''])
    expect((await run('api diff')).stderr).toMatch(
      /^Compared the built-in description with .*: no breaking changes/,
    )
  })

  test('a changed path is a breaking change and ends with 1', async () => {
    const {code, json, stderr} = await run('api diff released.json next.json --json')
    expect([code, json<unknown[]>()]).toEqual([
      1,
      [
        {
          change: 'changed',
          breaking: true,
          place: 'resources.files.methods.trash.path',
          text: 'Changed from files/{fileId}/trash to bin/{fileId}.',
        },
      ],
    ])
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        message: 'next.json breaks clients of released.json: 1 breaking change.',
      },
    })
  })

  test('changed texts are not breaking', async () => {
    const {code, stdout, stderr} = await run('api diff released.json later.json')
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toRead()
  })

  test('a single description is compared with the built-in one, which also has a name', async () => {
    for (const line of [
      'api diff next.json',
      'api diff built-in next.json',
      'api diff - next.json',
    ]) {
      const {code, stdout} = await run(`${line} --format table`, own)
      expect(code, line).toBe(1)
      expect(stdout, line).toRead()
    }
    expect((await run('api diff built-in built-in')).code).toBe(0)
    expect((await run('api diff built-in')).code).toBe(0)
  })

  test('the example for jq selects breaking changes', async () => {
    const line = [
      'api',
      'diff',
      'next.json',
      'released.json',
      '--jq',
      '.[] | select(.breaking) | .place',
    ]
    expect((await runHere(line, {env, cwd: home})).stdout).toBe(
      'resources.files.methods.trash.path\n',
    )
  })

  test('a service without a description is an error, not a service without differences', async () => {
    const {url} = await serve((_, response) => void response.writeHead(404).end('{}'))
    const {code, stdout} = await runHere(['api', 'diff'], {
      env: {...env, DRV_BASE_URL: url, DRV_AUTH_URL: url},
    })
    expect(code).not.toBe(0)
    expect(code).not.toBe(1)
    expect(stdout).toBe('')
  })

  test.each([
    ['api diff - -', 'Only one of the descriptions can come from standard input.'],
    ['api diff other.json next.json', 'other.json is not a valid API description'],
    ['api diff built-in missing.json', 'missing.json'],
    [
      'api diff odd.json',
      /^Error: Cannot compare odd\.json: invalid value at schemas\.\w+\.properties\. Must be an object, not 5\.\n/,
    ],
  ])('%s is rejected', async (line, words) => {
    const {code, stdout, stderr} = await run(line, own)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(words)
  })
})
