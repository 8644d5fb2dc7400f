import {execFileSync} from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import fc from 'fast-check'
import {afterAll, beforeEach, describe, expect, test} from 'vitest'
import {openPlan, ownerProblem} from '#lib/cli/plan-file/read-plan.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {HEAD, planText, RENAME, writePlan} from '../../../support/plan.js'

const top = mkdtempSync(join(tmpdir(), 'drv-'))
afterAll(() => rmSync(top, {recursive: true}))
let folder = top
let count = 0
beforeEach(() => {
  folder = join(top, String(count++))
  mkdirSync(folder)
})

/** Reads a whole plan; returns its labels, or the error. */
async function read(path: string, input = ''): Promise<string[] | UsageError> {
  try {
    const plan = await openPlan(path, Readable.from([Buffer.from(input)]))
    try {
      const labels: string[] = []
      for await (const {label} of plan.steps()) labels.push(label)
      return labels
    } finally {
      await plan.close()
    }
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

const readText = (text: string) => read(writePlan(folder, text))

/** The message for a plan. */
async function messageOf(text: string) {
  const result = await readText(text)
  return result instanceof UsageError ? result.message.replaceAll(folder, '/tmp') : 'valid'
}

/** The message for a plan with these steps. */
const messageFor = (...steps: readonly object[]) =>
  messageOf(planText({...HEAD, root: folder}, steps))

const UPLOAD = {
  key: '1',
  action: 'upload',
  label: 'a.html',
  effect: 'changes',
  operation: 'files.insert',
  params: {},
  body: {title: 'a.html', id: 'NEW1'},
  local: {path: 'sub/a.html', size: 3, md5: 'a'.repeat(32)},
}
const DELETION = {operation: 'files.delete', effect: 'destroys', body: undefined}
const NO_REQUEST = {operation: undefined, params: undefined, body: undefined}
const DOWNLOAD = {
  key: '1',
  action: 'download',
  label: 'a.html',
  effect: 'changes',
  operation: 'files.get',
  params: {fileId: 'FILE1'},
  output: {path: 'a.html', overwrite: false},
}
const MKDIR = {
  key: '1',
  action: 'folder',
  label: 'sub',
  effect: 'changes',
  here: 'mkdir',
  output: {path: 'sub', overwrite: false},
}

describe('reads', () => {
  test('each kind of step, twice from the start', async () => {
    const steps = [
      UPLOAD,
      {...DOWNLOAD, key: '2'},
      {...MKDIR, key: '3'},
      {...RENAME, key: '4', undoes: 'abc/2', before: {title: 'b'}},
    ]
    const text = planText({...HEAD, root: folder}, steps)
    const plan = await openPlan(writePlan(folder, text), Readable.from([]))
    for (const _ of [1, 2]) {
      const read: unknown[] = []
      for await (const step of plan.steps()) read.push(step)
      expect(read).toEqual(steps)
    }
    await plan.close()
  })

  test('a plan from standard input, which is deleted afterwards', async () => {
    const left = () => readdirSync(tmpdir()).filter(name => name.startsWith('drv-plan-'))
    const before = left()
    expect(await read('-', planText(HEAD, [RENAME]))).toEqual(['/a.txt'])
    expect(left()).toEqual(before)
  })

  test('lines as an editor saves them', async () => {
    const spaced = [HEAD, RENAME, {end: {steps: 1}}].map(line =>
      JSON.stringify(line).replaceAll('":', '": '),
    )
    expect(await readText(spaced.join('\r\n'))).toEqual(['/a.txt'])
  })
})

describe('refuses a line with', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['an unknown operation', {operation: 'files.destroy'}],
    ['an operation that only reads', {operation: 'files.list', params: {}, body: undefined}],
    ['an unknown field', {then: 'rm'}],
    ['an unknown parameter', {params: {fileId: 'FILE1', color: 'red'}}],
    ['a token', {params: {fileId: 'FILE1', access_token: 'secret'}}],
    ['a key of the service', {params: {fileId: 'FILE1', key: 'secret'}}],
    ['a parameter that drv sets', {params: {fileId: 'FILE1', alt: 'media'}}],
    ['a missing parameter', {params: {}}],
    ['a value that is no text', {params: {fileId: 7}}],
    ['several values for one', {params: {fileId: ['FILE1', 'FILE2']}}],
    ['a value that leaves its segment', {params: {fileId: '../about'}}],
    ['an encoded one', {params: {fileId: 'a%2Fb'}}],
    ['a value that names another operation', {params: {fileId: 'trash'}}],
    ['a parent that leaves its segment', {params: {fileId: 'FILE1', addParents: 'A,../B'}}],
    ['a body of another type', {body: {title: 7}}],
    ['a body that is a list', {body: []}],
    ['an ID in the body that leaves its segment', {body: {parents: [{id: '../x'}]}}],
    ['a body for an operation without one', {operation: 'files.trash'}],
    ['a weaker effect', {operation: 'files.delete', body: undefined}],
    ['an effect of another kind', {effect: 'reads'}],
    ['a key that is a number', {key: 1}],
    ['a key that is no number', {key: 'one'}],
    ['a key of too many digits', {key: '1'.repeat(13)}],
    ['an ETag with a line break', {etag: '"a"\r\nx: y'}],
    ['an unknown step before it', {after: ['7']}],
    ['itself before it', {after: ['1']}],
    ['a list of other things before it', {after: [7]}],
    ['an output for a change', {output: {path: 'a', overwrite: false}}],
    ['content for an operation without it', {operation: 'files.patch', local: UPLOAD.local}],
    ['both a request and a local change', {here: 'mkdir', output: MKDIR.output}],
    ['an impact in words', {impact: 'everything'}],
    ['an undone change that is none', {undoes: '../a/1'}],
    ['an undone change without its number', {undoes: '0123456789'}],
    ['an undone change on this machine', {...MKDIR, ...NO_REQUEST, undoes: '0123456789/1'}],
    ['a state before that is a list', {before: ['a.txt']}],
    ['a state before of something else', {before: {color: 'red'}}],
    ['a state before that the operation has not', {...DELETION, before: {title: 'a.txt'}}],
    ['a name of every object', {__proto__: null, constructor: 'x'}],
  ])('%s', async (_, fields) => {
    expect(await messageFor({...RENAME, ...fields})).toRead()
  })

  test.each([
    ['an absolute path', {path: '/etc/passwd'}],
    ['a path above the root', {path: '../a.html'}],
    ['a path that goes up and down', {path: 'sub/../../a.html'}],
    ['a dot', {path: './a.html'}],
    ['an empty part', {path: 'sub//a.html'}],
    ['no path', {path: ''}],
    ['U+0000', {path: 'a\0b'}],
    ['a path that is too long', {path: 'a'.repeat(5000)}],
    ['a size that is none', {path: 'a', size: -1}],
    ['an MD5 that is none', {path: 'a', md5: 'x'}],
    ['a type that is none', {path: 'a', mimeType: 7}],
    ['an unknown field', {path: 'a', mode: 0o777}],
  ])('local content: %s', async (_, local) => {
    expect(await messageFor({...UPLOAD, local: {...UPLOAD.local, ...local}})).toRead()
  })

  test.each([
    ['an absolute path', {...DOWNLOAD, output: {...DOWNLOAD.output, path: '/etc/passwd'}}],
    ['a path above the root', {...MKDIR, output: {...MKDIR.output, path: '..'}}],
    ['a flag as text', {...DOWNLOAD, output: {...DOWNLOAD.output, overwrite: 'true'}}],
    ['no output', {...DOWNLOAD, output: undefined}],
    ['no output for a local change', {...MKDIR, output: undefined}],
    ['an unknown local change', {...MKDIR, here: 'chmod'}],
  ])('output: %s', async (_, step) => {
    expect(await messageFor(step)).toRead()
  })

  test('a symbolic link on the way', async () => {
    symlinkSync('/etc', join(folder, 'sub'))
    expect(await messageFor(UPLOAD)).toRead()
    expect(await messageFor({...DOWNLOAD, output: {path: 'sub/passwd', overwrite: true}})).toRead()
    expect(await messageFor({...MKDIR, output: {path: 'sub', overwrite: false}})).toRead()
  })

  test('a local path, but no root', async () => {
    expect(await messageOf(planText(HEAD, [UPLOAD]))).toRead()
  })

  test('the key of an earlier step', async () => {
    expect(await messageFor(RENAME, {...RENAME, label: '/other.txt'})).toRead()
  })

  test('a name that an object has twice', async () => {
    const line = JSON.stringify(RENAME).replace('"FILE1"', '"FILE1","fileId":"FILE2"')
    expect(await messageOf(`${JSON.stringify(HEAD)}\n${line}\n{"end":{"steps":1}}\n`)).toRead()
  })
})

describe('refuses', () => {
  const head = JSON.stringify(HEAD)
  const step = JSON.stringify(RENAME)
  const end = '{"end":{"steps":1}}'
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  test.each([
    ['an empty file', ''],
    ['another file', 'Dear Sir or Madam'],
    ['another record', '{"checkpoint":{}}'],
    ['an unknown version', planText({...HEAD, plan: 2}, [RENAME])],
    ['a version in words', planText({...HEAD, plan: 'latest'}, [RENAME])],
    ['a version that is an object', planText({...HEAD, plan: {toString: ''}}, [RENAME])],
    ['a head with more', planText({...HEAD, token: 'secret'}, [RENAME])],
    ['a head with less', planText({plan: 1}, [RENAME])],
    ['a relative root', planText({...HEAD, root: 'build'}, [RENAME])],
    ['a root with dots', planText({...HEAD, root: '/srv/../etc'}, [RENAME])],
    ['a file without its end', `${head}\n${step}\n`],
    ['a file that ends within a line', `${head}\n${step.slice(0, 40)}`],
    ['fewer steps than its end says', `${head}\n${end}\n`],
    ['more steps than its end says', `${head}\n${step}\n{"end":{"steps":0}}\n`],
    ['steps behind its end', `${head}\n{"end":{"steps":0}}\n${step}\n`],
    ['an empty line', `${head}\n\n${step}\n${end}\n`],
    ['a list', `${head}\n[]\n${end}\n`],
    [
      'a line that is not UTF-8',
      Buffer.concat([Buffer.from(`${head}\n"`), Buffer.from([0xff, 0x22])]).toString('latin1'),
    ],
    [
      'a line of more than 1 MiB',
      `${head}\n${JSON.stringify({...RENAME, label: 'a'.repeat(1 << 20)})}\n${end}\n`,
    ],
    ['a line of many levels', `${head}\n${deep(60)}\n${end}\n`],
    ['a line of very many levels', `${head}\n${deep(100_000)}\n${end}\n`],
    ['levels behind a name that comes again', `${head}\n{"a":${deep(100_000)},"a":1}\n${end}\n`],
  ])('%s', async (name, text) => {
    const path = writePlan(folder, '')
    writeFileSync(path, text, name.includes('UTF-8') ? 'latin1' : 'utf8')
    const error = await read(path)
    expect(error).toBeInstanceOf(UsageError)
    expect(String((error as Error).message).replaceAll(folder, '/tmp')).toRead()
  })

  test('a symbolic link, a folder, a pipe and nothing', async () => {
    symlinkSync(writePlan(folder, planText(HEAD, [RENAME])), join(folder, 'link'))
    execFileSync('mkfifo', [join(folder, 'pipe')])
    for (const name of ['link', 'pipe', '.', 'missing']) {
      const error = await read(join(folder, name))
      expect(error).toBeInstanceOf(UsageError)
      expect(String((error as Error).message).replaceAll(folder, '/tmp')).toRead()
    }
  })

  test('a file that others can write', async () => {
    const path = writePlan(folder, planText(HEAD, [RENAME]))
    chmodSync(path, 0o644)
    expect(await read(path)).toEqual(['/a.txt'])
    chmodSync(path, 0o664)
    expect(((await read(path)) as Error).message.replaceAll(folder, '/tmp')).toRead()
  })

  test('a file of another user, but not one of the administrator', () => {
    const file = (uid: number) => ({uid, mode: 0o100600, isFile: () => true})
    expect(ownerProblem(file(1000), 1000)).toBe(undefined)
    expect(ownerProblem(file(0), 1000)).toBe(undefined)
    expect(ownerProblem(file(1001), 1000)).toRead()
    expect(ownerProblem(file(1001), undefined)).toBe(undefined)
  })

  test.skipIf(process.geteuid?.() !== 0)('a file of another user, in fact', async () => {
    const path = writePlan(folder, planText(HEAD, [RENAME]))
    chownSync(path, 12345, 12345)
    expect(((await read(path)) as Error).message.replaceAll(folder, '/tmp')).toRead()
  })

  test('a file that changes between two passes', async () => {
    const path = writePlan(folder, planText(HEAD, [RENAME]))
    const plan = await openPlan(path, Readable.from([]))
    for await (const _ of plan.steps());
    writeFileSync(path, planText(HEAD, [RENAME, {...RENAME, key: '2'}]))
    await expect(plan.steps().next()).rejects.toBeInstanceOf(UsageError)
    await plan.close()
  })
})

test('any value in any field of any line is read or refused with the line', async () => {
  const lines = [
    {...HEAD, root: folder},
    {...RENAME, undoes: '0123456789/1', before: {title: 'b.txt'}},
    {...UPLOAD, key: '2', after: ['1']},
    {...DOWNLOAD, key: '3'},
    {...MKDIR, key: '4'},
    {end: {steps: 4}},
  ] as readonly object[]
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('..', '/etc/passwd', '%2e%2e', '__proto__', '\0', '-1', 'trash', 1e300, null),
    fc.dictionary(fc.string(), fc.jsonValue()),
  )
  await fc.assert(
    fc.asyncProperty(fc.nat(5), fc.nat(20), fc.nat(6), value, async (at, which, inner, given) => {
      const line = structuredClone(lines[at]!) as Record<string, unknown>
      const names = Object.keys(line)
      const name = names[which % names.length]!
      const field = line[name]
      if (typeof field === 'object' && field !== null && inner > 0) {
        const keys = Object.keys(field)
        ;(field as Record<string, unknown>)[keys[inner % keys.length] ?? 'x'] = given
      } else line[name] = given
      const text = lines
        .map((one, index) => `${JSON.stringify(index === at ? line : one)}\n`)
        .join('')
      const result = await readText(text)
      if (result instanceof UsageError)
        expect(result.message).toMatch(
          /^(Line \d+ of .+\.|.+ (is incomplete|has the wrong number of steps): .+\.)$/s,
        )
      else expect(result.length).toBe(4)
    }),
    {numRuns: 500},
  )
})

test('any bytes are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({maxLength: 400}), async bytes => {
      const path = writePlan(folder, '')
      writeFileSync(path, bytes)
      expect(await read(path)).toBeInstanceOf(UsageError)
    }),
    {numRuns: 200},
  )
})

/** The number of bytes that this process has read. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])

test.runIf(existsSync('/proc/self/io'))(
  '100 MB in one line, or of other things, are refused after a few MB, in little memory',
  async () => {
    const before = process.memoryUsage().rss
    for (const piece of ['a', 'a\n', '[[[[[[[[', `${JSON.stringify(HEAD)}\n`]) {
      const path = writePlan(folder, '')
      writeFileSync(path, piece.repeat(Math.ceil(100_000_000 / piece.length)))
      const started = bytesRead()
      expect(await read(path)).toBeInstanceOf(UsageError)
      expect(bytesRead() - started).toBeLessThan(5_000_000)
      rmSync(path)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
  },
)
