import {chmodSync, existsSync, readFileSync} from 'node:fs'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {BINARY} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** The editor is a program, which gets the paths after its own arguments. */
const edit = (editor: string, ...args: string[]) => {
  const env = {...process.env, ...world.env, EDITOR: editor}
  return runHere(['edit', ...args], {env, cwd: world.folder})
}

/** An editor that writes a text, and runs drv in between; drv does not pass its token to editors. */
function meddling(text: string, line: string): string {
  const own = `DRV_TOKEN=${world.env.DRV_TOKEN} ${process.execPath} ${BINARY} ${line} -q`
  const path = world.file('meddle.sh', `echo ${text} > "$1"\n${own}\n`)
  chmodSync(path, 0o700)
  return `sh ${path}`
}

const content = async (id: string) => (await world.run('cat', [id])).stdout
const revisions = async (id: string) => (await world.drv('revisions list', id)).items.length

describe('edit', () => {
  test('uploads only changed files, by path, ID and link', async () => {
    const one = await world.make('one.txt', 'root', 'one')
    const two = await world.make('two.txt', 'root', 'two')
    const before = await revisions(two)
    const link = `https://drive.example.com/file/d/${two}/view`
    const result = await edit('sed -i s/one/1/', '/one.txt', link)
    expect(result.code, result.stderr).toBe(0)
    expect(result.stdout).toContain(one)
    expect(await content(one)).toBe('1')
    expect(await revisions(two)).toBe(before)
    expect((await world.drv('files get', one)).mimeType).toBe('text/plain')
  })

  test('creates a file whose folder exists, unless it stays empty', async () => {
    await world.make('Texts', 'root')
    expect((await edit('echo hello >', '/Texts/new.txt')).code).toBe(0)
    expect(await content('/Texts/new.txt')).toBe('hello\n')
    expect((await edit('true', '/Texts/none.txt')).code).toBe(0)
    expect((await world.run('stat', ['/Texts/none.txt'])).code).toBe(5)
  })

  test('uploads if only the metadata has changed in between', async () => {
    const id = await world.make('starred.txt', 'root', 'before')
    const result = await edit(meddling('after', `star ${id}`), id)
    expect(result.code, result.stderr).toBe(0)
    expect(await content(id)).toBe('after\n')
    expect((await world.drv('files get', id)).labels.starred).toBe(true)
  })

  test('does not overwrite a file that somebody else has changed, and keeps the text', async () => {
    const id = await world.make('contested.txt', 'root', 'before')
    const theirs = world.file('theirs.txt', 'theirs')
    const result = await edit(meddling('mine', `files update ${id} ${theirs}`), '/contested.txt')
    expect(result.code).toBe(12)
    expect(await content(id)).toBe('theirs')
    const kept = /saved in (\S+)\.\s/.exec(result.stderr)![1]!
    expect(result.stderr.replace(kept, 'KEPT')).toRead()
    expect(existsSync(kept)).toBe(true)
    expect(readFileSync(kept, 'utf8')).toBe('mine\n')
  })

  test('uploads nothing if the editor fails or is missing, or for a folder', async () => {
    const id = await world.make('same.txt', 'root', 'same')
    await world.make('Folder', 'root')
    const failed = await edit('false', id)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toRead()
    const none = await edit('', id)
    expect(none.code).toBe(2)
    expect(none.stderr).toRead()
    const folder = await edit('true', '/Folder')
    expect(folder.code).toBe(2)
    expect(folder.stderr).toRead()
    const dry = await edit('false', id, '--dry-run')
    expect(dry.code).toBe(0)
    expect(await revisions(id)).toBe(await revisions('/same.txt'))
    const env = {DRV_READ_ONLY: '1'}
    expect((await world.run('edit', [id], {env})).code).toBe(13)
  })
})
