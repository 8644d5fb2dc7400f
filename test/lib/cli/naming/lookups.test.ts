import {describe, expect, test} from 'vitest'
import type {Context} from '../../../../src/lib/cli/command/context.js'
import {createLookups} from '../../../../src/lib/cli/naming/lookups.js'
import {fakeClient, FOLDER} from '../../transfer/remote/client.js'

const files = [
  {id: 'root', title: 'My Drive', parent: '', mimeType: FOLDER},
  {id: 'a', title: 'A, B', parent: 'root', mimeType: FOLDER},
  {id: 'c', title: 'C', parent: 'root', mimeType: FOLDER},
]

function world() {
  const {client, asked} = fakeClient(files, {drives: [{id: 'd', name: 'My Team'}]})
  const context = {
    client: async () => client,
    io: {interactive: false},
    signal: new AbortController().signal,
  } as unknown as Context
  return {lookups: createLookups(context), asked}
}

describe('a word', () => {
  test.each([
    ['1abc', '1abc', 0],
    ['id:a.b', 'a.b', 0],
    ['https://example.com/open?id=1abc', '1abc', 0],
    ['/', 'root', 0],
    ['/C', 'c', 2],
    ['/A, B', 'a', 2],
  ])('for a file: %s', async (word, id, requests) => {
    const {lookups, asked} = world()
    expect(await lookups.file(word)).toBe(id)
    expect(await lookups.file(word)).toBe(id)
    expect(asked).toHaveLength(requests)
  })

  test.each([
    ['1abc,2def', '1abc,2def'],
    ['/C,1abc', 'c,1abc'],
    ['/A, B,/C', 'a,c'],
    ['id:x,/', 'x,root'],
  ])('for several files: %s', async (words, ids) => {
    expect(await world().lookups.files(words)).toBe(ids)
  })

  test.each([
    ['My Team', 'd'],
    ['drive:My Team/', 'd'],
    ['Team', 'Team'],
    ['id:a b', 'a b'],
    ['https://example.com/drive/folders/0A1', '0A1'],
  ])('for a shared drive: %s', async (word, id) => {
    expect(await world().lookups.drive(word)).toBe(id)
  })
})

test('what names nothing is refused as part of the command line', async () => {
  await expect(world().lookups.file('report.pdf')).rejects.toMatchObject({
    name: 'UsageError',
    hint: 'A path begins with a slash: /report.pdf. Where it is an ID, write id:report.pdf.',
  })
})

test('what is not there has an exit code of its own', async () => {
  await expect(world().lookups.file('/D')).rejects.toMatchObject({
    name: 'CommandError',
    exit: 'notFound',
    hint: 'Check the path; capitals count. What has no path of its own can be named by its ID.',
  })
})
