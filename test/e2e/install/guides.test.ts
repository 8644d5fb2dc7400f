import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {rootCertificates} from 'node:tls'
import {fileURLToPath} from 'node:url'
import {describe, expect, onTestFinished, test} from 'vitest'
import {directories} from '#lib/config/paths.js'
import {createService} from '#lib/service/index.js'
import {temporaryFolder} from '../../support/drv.js'
import {blockOf, readersMachine, runShell, shellOf, signInBefore} from '../../support/guide.js'
import {localToken} from '../../support/world.js'

/** The guides: every shell line in them works, and every name in them exists. */

const docs = fileURLToPath(new URL('../../../docs', import.meta.url))
const guides = readdirSync(join(docs, 'guides')).map(name => `guides/${name}`)
const pages = readdirSync(join(docs, 'help')).map(name => `help/${name}`)
const read = (path: string) => readFileSync(join(docs, path), 'utf8')

/** Replaces the URL of a remote service in the documents. */
const ELSEWHERE = 'https://files.example.com'

/** Guides for users of the local service. */
const INSIDE = ['signing-in', 'embedded-service', 'where-things-are'].map(
  name => `guides/${name}.md`,
)

/** The files in blocks of guides: the first block of a language. */
const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'guides/seeds.md': {'seed.yaml': 'yaml', 'test_reports.py': 'python'},
}

describe.each([...guides, ...pages].filter(path => shellOf(read(path)).length > 0))('%s', path => {
  test('every shell line works, block by block', async () => {
    const {path: home, remove} = temporaryFolder()
    onTestFinished(remove)
    // The client ID that the operator of a service gives to the reader.
    const env: Record<string, string> = {...(await readersMachine(home)), CLIENT_ID: 'drv-cli'}
    if (path === 'guides/where-things-are.md') {
      // It lists the directories in effect without these variables.
      for (const name of Object.keys(env)) if (name.startsWith('XDG_')) delete env[name]
    }
    const isInside = INSIDE.includes(path)
    const data = isInside ? directories(env, () => home).data! : join(home, 'elsewhere')
    const token = await localToken(data)
    const service = await createService({data, pollInterval: 1})
    onTestFinished(() => service.close())
    if (path !== 'guides/signing-in.md') {
      await signInBefore(env, token, isInside ? undefined : service.url)
      await run('drv files insert notes.txt -q\ndrv mkdir /Reports -q')
    }
    writeFileSync(join(home, '.drv-token'), token)
    for (const [name, language] of Object.entries(FILES[path] ?? {})) {
      writeFileSync(join(home, name), blockOf(read(path), language))
    }
    writeFileSync(join(home, 'company.pem'), rootCertificates[0]!)
    for (const {line, text} of shellOf(read(path))) await run(text, `the block in line ${line}`)

    async function run(text: string, name = 'what comes before') {
      const {code, stderr} = await runShell(text.replaceAll(ELSEWHERE, service.url), env)
      expect(code, `${name}: ${stderr}`).toBe(0)
    }
  })
})

test('a guide is short, and so are its lines', () => {
  for (const path of guides) {
    const lines = read(path).split('\n')
    expect(lines.length, path).toBeLessThanOrEqual(64)
    const isLong = (line: string) =>
      line.length > 105 && !/^[|{]|"rules"|--value|--callback|^15 6/.test(line)
    expect(lines.filter(isLong), path).toEqual([])
  }
})

test('every link leads to a file', () => {
  for (const path of ['README.md', ...guides]) {
    const links = [...read(path).matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link]) => link!)
    const broken = links.filter(link => !existsSync(join(docs, dirname(path), link)))
    expect(broken, path).toEqual([])
  }
})
