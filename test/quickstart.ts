import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {freshEnvironment, type Result, runDrv, startDrv, temporaryFolder} from './support/drv.js'
import {nextSteps} from './support/next-steps.js'
import {authorizeDevice} from './support/person.js'

/**
 * The quick start: everyday commands on the local service, each followed by its output. It uses a temporary folder
 * and changes nothing else on this machine.
 */

const checkout = fileURLToPath(new URL('..', import.meta.url))
const {path: home, remove} = temporaryFolder()
const env = freshEnvironment(home)

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function show(args: readonly string[]): void {
  const words = args.map(arg => (/^[\w@./:=,-]+$/.test(arg) ? arg : `'${arg}'`))
  say(`\n$ drv ${words.join(' ')}`)
}

async function drv(...args: string[]): Promise<Result> {
  show(args)
  const result = await runDrv(args, {env, cwd: checkout})
  process.stdout.write(result.stderr + result.stdout)
  if (result.code !== 0) throw new Error(`drv ${args.join(' ')} exited with code ${result.code}.`)
  return result
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`Check failed: ${what}`)
  say(`✓ ${what}`)
}

/** Signs in with the device flow: `drv` shows a code, and a user enters it on the service's page. */
async function signIn(): Promise<void> {
  const args = ['auth', 'login', '--insecure-storage']
  show(args)
  const child = startDrv(args, {env, cwd: checkout})
  const ended = new Promise<number | null>(settle => child.on('close', settle))
  child.stdout.pipe(process.stdout, {end: false})
  let shown = ''
  let typed = false
  await new Promise<void>((settle, fail) => {
    child.stderr.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk)
      shown += chunk.toString()
      const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(shown)?.[0]
      const address = /http:\/\/[^\s?]+\/login\/device[^\s"]*/.exec(shown)?.[0]
      if (typed || !code || !address) return
      typed = true
      authorizeDevice(address, code).then(() => {
        say(`(entered ${code} at ${address} and clicked Authorize)`)
        settle()
      }, fail)
    })
    void ended.then(code => typed || fail(new Error(`drv auth login exited with code ${code}.`)))
  })
  expect((await ended) === 0, 'signed in')
}

async function mainJob(): Promise<void> {
  await signIn()

  const file = join(checkout, 'README.md')
  const fields = 'id,title,mimeType,fileSize,md5Checksum'
  const inserted = (await drv('files', 'insert', 'README.md', '--fields', fields, '--json')).json()
  const id = inserted.id as string

  await drv('files', 'list')

  const copy = join(home, 'copy.md')
  await drv('files', 'get', id, '--output', copy)
  expect(readFileSync(copy).equals(readFileSync(file)), 'the download is identical to the file')

  await drv(
    ...['permissions', 'insert', id, '--role', 'reader', '--type', 'user'],
    ...['--value', 'ada@example.com'],
  )
  const shared = await drv('permissions', 'list', id)
  expect(shared.stdout.includes('ada@example.com'), 'the file is shared with ada@example.com')

  await drv('files', 'trash', id, '--fields', 'id,labels/trashed')
  const trashed = await drv('files', 'list', '--q', 'trashed = true')
  expect(trashed.stdout.includes(id), 'the file is in the trash')

  await drv('files', 'untrash', id, '--fields', 'id,labels/trashed')
  const rest = await drv('files', 'list', '--q', 'trashed = true')
  expect(!rest.stdout.includes(id), 'the trash is empty again')

  const changes = await drv('changes', 'list', '--all')
  expect(changes.stdout.includes(id), 'the list of changes contains the file')
}

try {
  await mainJob()
  say(`\n${nextSteps()}`)
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`\nThe quick start failed. ${(error as Error).message}\n`)
} finally {
  remove()
}
