import {createHash} from 'node:crypto'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const titles = (list: {items: {title: string}[]}) => list.items.map(item => item.title)

test('a file is uploaded, listed, downloaded and changed', async () => {
  const {drv, file, folder} = world
  const content = Buffer.from('one\ntwo\n')
  const inserted = await drv('files insert', file('notes.txt', content), '--description', 'mine')
  expect(inserted).toMatchObject({
    kind: 'drive#file',
    title: 'notes.txt',
    mimeType: 'text/plain',
    description: 'mine',
    fileSize: '8',
    md5Checksum: createHash('md5').update(content).digest('hex'),
  })
  const {id} = inserted
  expect(titles(await drv('files list', '--q', "title contains 'not'"))).toEqual(['notes.txt'])

  const copy = join(folder, 'back.txt')
  await drv('files get', id, '--download', copy)
  expect(readFileSync(copy)).toEqual(content)

  const updated = await drv('files update', id, file('newer.txt', 'three\n'), '--title', 'new.txt')
  expect(updated).toMatchObject({id, title: 'new.txt', fileSize: '6'})
  const bytes = await world.run('files get', [id, '--download', '-'])
  expect(bytes.stdout).toBe('three\n')

  const patched = await drv('files patch', id, file('patch.txt', 'fourth\n'), '--title', 'p.txt')
  expect(patched).toMatchObject({id, title: 'p.txt', fileSize: '7'})

  await drv('files patch', id, '--body', '{"labels":{"starred":true}}', '--title', 'star.txt')
  expect(await drv('files get', id)).toMatchObject({title: 'star.txt', labels: {starred: true}})
  expect(titles(await drv('files list', '--q', 'starred = true'))).toEqual(['star.txt'])

  const before = (await drv('files get', id)).modifiedDate
  await drv('files touch', id)
  expect((await drv('files get', id)).modifiedDate > before).toBe(true)
})

test.each([
  ['small', 7],
  ['large', 9 * 1024 * 1024],
])('a patch with %s content whose answers are lost changes it once', async (_, size) => {
  const rules = [{operations: 'files.update', fault: 'lose', hold: 0, calls: [1, 4]}]
  const faulty = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))}, runHere)
  onTestFinished(() => faulty.close())
  const id = await faulty.make('f', 'root', 'old')
  const content = Buffer.alloc(size, 'x')
  const patched = await faulty.drv('files patch', id, faulty.file('new', content))
  const md5Checksum = createHash('md5').update(content).digest('hex')
  expect(patched).toMatchObject({id, title: 'f', md5Checksum})
  expect((await faulty.drv('revisions list', id)).items).toHaveLength(2)
  expect(await faulty.drv('transfers list')).toEqual([])
})

test('content can come from standard input', async () => {
  const result = await world.run('files insert', ['-', '--title', 'piped', '--json'], {
    input: 'from a pipe',
  })
  const {id} = result.json()
  expect((await world.run('files get', [id, '--download', '-'])).stdout).toBe('from a pipe')
})

test('a copy has the same content and is independent', async () => {
  const {drv, file} = world
  const {id} = await drv('files insert', file('original.txt', 'same'))
  const copy = await drv('files copy', id, '--title', 'twin.txt')
  expect(copy.id).not.toBe(id)
  await drv('files delete', id, '--yes')
  expect((await world.run('files get', [copy.id, '--download', '-'])).stdout).toBe('same')
  expect((await world.run('files get', [id])).code).toBe(5)
})

test('files are trashed, restored and deleted with the trash', async () => {
  const {drv, file} = world
  const {id} = await drv('files insert', file('rubbish.txt', 'x'))
  await drv('files trash', id)
  expect(await drv('files get', id)).toMatchObject({labels: {trashed: true}})
  await drv('files untrash', id)
  expect(await drv('files get', id)).toMatchObject({labels: {trashed: false}})
  await drv('files trash', id)
  await drv('files empty-trash', '--yes')
  expect((await world.run('files get', [id])).code).toBe(5)
})

test('a reserved ID makes an insert safe to repeat', async () => {
  const {drv, file} = world
  const {ids} = await drv('files generate-ids', '--max-results', '2')
  expect(ids).toHaveLength(2)
  const path = file('once.txt', 'once')
  expect((await drv('files insert', path, '--id', ids[0])).id).toBe(ids[0])
  const again = await world.run('files insert', [path, '--id', ids[0]])
  expect(again.code).toBe(12)
  expect((await drv('files list', '--q', "title = 'once.txt'")).items).toHaveLength(1)
})

test('an editor document is converted on upload and exported on download', async () => {
  const {drv, file} = world
  const {id, mimeType} = await drv('files insert', file('table.csv', 'a,b\n1,2\n'), '--convert')
  expect(mimeType).toBe('application/vnd.google-apps.spreadsheet')
  const exported = await world.run('files export', [id, '--mime-type', 'text/csv', '--output', '-'])
  expect(exported.stdout.replaceAll('\r\n', '\n').trim()).toBe('a,b\n1,2')
  expect((await world.run('files get', [id, '--download', '-'])).code).toBe(6)
})

test('labels are set, listed and removed as one', async () => {
  const {drv, file} = world
  const {id} = await drv('files insert', file('labelled.txt', 'x'))
  const modifications = {
    labelModifications: [
      {labelId: 'project', fieldModifications: [{fieldId: 'name', setTextValues: ['apollo']}]},
    ],
  }
  const modified = await drv('files modify-labels', id, '--body', JSON.stringify(modifications))
  expect(modified.modifiedLabels).toHaveLength(1)
  const {items} = await drv('files list-labels', id)
  expect(items).toMatchObject([{id: 'project', fields: {name: {text: ['apollo']}}}])
  const removal = {labelModifications: [{labelId: 'project', removeLabel: true}]}
  await drv('files modify-labels', id, '--body', JSON.stringify(removal))
  expect((await drv('files list-labels', id)).items).toEqual([])
})

test('lists continue to the next page, up to a limit or to the end', async () => {
  const {drv} = world
  const folder = await drv('files insert', '--title', 'many', '--mime-type', FOLDER)
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await drv('files insert', '--title', name, '--parent', folder.id)
  }
  const q = ['--q', `'${folder.id}' in parents`, '--order-by', 'title', '--max-results', '2']
  expect(titles(await drv('files list', ...q))).toEqual(['a', 'b'])
  expect(titles(await drv('files list', ...q, '--limit', '3'))).toEqual(['a', 'b', 'c'])
  expect(titles(await drv('files list', ...q, '--all'))).toEqual(['a', 'b', 'c', 'd', 'e'])
})

const FOLDER = 'application/vnd.google-apps.folder'

test('--dry-run shows the request for the content, and writes nothing', async () => {
  const {url, drv, run, file, folder} = world
  const {id, headRevisionId} = await drv('files insert', file('dry.txt', 'dry'))
  const target = join(folder, 'dry-target')
  const shown = async (command: string, ...args: string[]) =>
    (await run(command, [...args, '--download', target, '--dry-run', '--json'])).json()
  const media = {headers: {accept: '*/*'}, method: 'GET'}
  expect(await shown('files get', id)).toMatchObject({
    ...media,
    url: `${url}/drive/v2/files/${id}?supportsAllDrives=true&alt=media`,
  })
  expect(await shown('revisions get', id, headRevisionId)).toMatchObject({
    ...media,
    url: `${url}/drive/v2/files/${id}?revisionId=${headRevisionId}&supportsAllDrives=true&alt=media`,
  })
  expect(existsSync(target)).toBe(false)
})

test.each(['files update', 'files patch'])(
  '%s --dry-run shows the media type that content of no known kind would keep',
  async command => {
    const {drv, run, file} = world
    const {id, md5Checksum} = await drv('files insert', file('kept.txt', 'kept'))
    const words = [id, file('noending', 'other')]
    const shown = await run(command, [...words, '--dry-run', '--verbose'])
    expect(shown.stdout).toMatch(/^content-type: text\/plain$/m)
    expect(await drv('files get', id)).toMatchObject({md5Checksum})
    expect(await drv(command, ...words)).toMatchObject({mimeType: 'text/plain'})
  },
)
