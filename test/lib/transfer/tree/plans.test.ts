import {describe, expect, test} from 'vitest'
import type {
  LocalEntry,
  LocalFolder,
  RemoteEntry,
  RemoteFolder,
} from '#lib/transfer/tree/entries.js'
import {planPull, planPush} from './whole-plans.js'

const here = (name: string, size = 1): LocalEntry => ({
  kind: 'file',
  name,
  path: `/local/${name}`,
  size,
  modified: 0,
})
const hereFolder = (name: string, ...entries: LocalEntry[]): LocalFolder => ({
  kind: 'folder',
  name,
  path: `/local/${name}`,
  entries,
})
const link: LocalEntry = {
  kind: 'other',
  name: 'link',
  path: '/local/link',
  what: 'a symbolic link',
}
const there = (title: string, size = 1, id = `id-${title}`): RemoteEntry => ({
  kind: 'file',
  id,
  title,
  size,
  md5: 'sum',
})
const thereFolder = (title: string, ...entries: RemoteEntry[]): RemoteFolder => ({
  kind: 'folder',
  id: `id-${title}`,
  title,
  entries,
})
const document: RemoteEntry = {
  kind: 'other',
  id: 'id-doc',
  title: 'doc',
  what: 'an editor document',
}

const told = (steps: ReadonlyArray<{action: string; path: string; reason?: string}>) =>
  steps.map(({action, path, reason}) => [action, path, ...(reason ? [reason] : [])].join(' '))

describe('push', () => {
  const plan = (local: LocalEntry[], remote: RemoteEntry[], mirror = false) =>
    told(planPush(hereFolder('', ...local), thereFolder('top', ...remote), {mirror}).steps)

  test.each<[string, LocalEntry[], RemoteEntry[], string[]]>([
    ['what is not there goes up', [here('a')], [], ['upload a']],
    [
      'a folder comes before what is in it',
      [hereFolder('d', here('a'), hereFolder('e', here('b')))],
      [],
      ['folder d', 'upload d/a', 'folder d/e', 'upload d/e/b'],
    ],
    [
      'a folder that is there is not made',
      [hereFolder('d', here('a'))],
      [thereFolder('d')],
      ['upload d/a'],
    ],
    ['another size is another content', [here('a', 2)], [there('a', 1)], ['replace a']],
    ['the same size asks for the sums', [here('a')], [there('a')], ['check a']],
    ['capitals are another name', [here('A')], [there('a')], ['upload A']],
    [
      'accents are the same in both spellings',
      [here('u\u0308')],
      [there('\u00fc')],
      ['check u\u0308'],
    ],
    ['a link is left out', [link], [], ['skip link it is a symbolic link']],
    [
      'a file does not replace a folder',
      [here('d')],
      [thereFolder('d')],
      ['fail d a folder with this name already exists (ID id-d)'],
    ],
    [
      'nor a folder a document',
      [hereFolder('doc', here('a'))],
      [document],
      ['fail doc an editor document with this name already exists (ID id-doc)'],
    ],
    ['what is there alone stays', [], [there('a'), thereFolder('d', there('b'))], []],
  ])('%s', (_, local, remote, steps) => {
    expect(plan(local, remote)).toEqual(steps)
  })

  test('--delete trashes items missing locally, at the end, and a folder as a whole', () => {
    const remote = [there('a'), thereFolder('d', there('b')), document]
    expect(plan([here('z')], remote, true)).toEqual([
      'upload z',
      'skip doc it is an editor document without a local copy; --delete does not trash it',
      'trash a',
      'trash d',
    ])
  })

  test('--delete does not touch folders without a complete listing', () => {
    const local = {...hereFolder('', hereFolder('d')), isPartial: true}
    const remote = thereFolder('top', there('other'), thereFolder('d', there('old')))
    expect(told(planPush(local, remote, {mirror: true}).steps)).toEqual(['trash d/old'])
  })

  test('--delete keeps items of failed or excluded files', () => {
    expect(plan([link], [there('link')], true)).toEqual(['skip link it is a symbolic link'])
  })

  test('knows the existing folders', () => {
    const {folders} = planPush(
      hereFolder('', hereFolder('d', hereFolder('e'))),
      thereFolder('top', thereFolder('d')),
      {mirror: false},
    )
    expect([...folders]).toEqual([
      ['', 'id-top'],
      ['d', 'id-d'],
    ])
  })
})

test('a follower uploads a file or folder of another kind under another title', () => {
  const local = hereFolder('', here('a.txt'), hereFolder('b', here('c')))
  const remote = thereFolder('top', thereFolder('a.txt'), there('b'))
  const besideTitle = (title: string) => `ours ${title}`
  expect(planPush(local, remote, {mirror: false, besideTitle}).steps).toMatchObject([
    {action: 'upload', path: 'ours a.txt', name: 'ours a.txt', parent: '', local: {name: 'a.txt'}},
    {action: 'folder', path: 'b', name: 'ours b', parent: ''},
    {action: 'upload', path: 'b/c', name: 'c', parent: 'b'},
  ])
})

describe('pull', () => {
  const rules = {isWindows: false, isCaseSensitive: true}
  const plan = (remote: RemoteEntry[], local: LocalEntry[], mirror = false) =>
    told(planPull(thereFolder('top', ...remote), hereFolder('', ...local), {mirror, rules}).steps)

  test.each<[string, RemoteEntry[], LocalEntry[], string[]]>([
    [
      'what is not here comes down, folders first',
      [there('a'), thereFolder('d', there('b'))],
      [],
      ['download a', 'folder d', 'download d/b'],
    ],
    ['another size is another content', [there('a', 2)], [here('a', 1)], ['replace a']],
    ['the same size asks for the sums', [there('a')], [here('a')], ['check a']],
    [
      'documents are left out',
      [document],
      [],
      ['skip doc it is an editor document, which has no content'],
    ],
    [
      'a link in the way is neither followed nor replaced',
      [there('link'), thereFolder('d', there('x'))],
      [link, {...link, name: 'd'}],
      [
        'fail link a symbolic link with this name already exists',
        'fail d a symbolic link with this name already exists',
      ],
    ],
    [
      'a folder in the way stays',
      [there('d')],
      [hereFolder('d')],
      ['fail d a folder with this name already exists'],
    ],
    ['a title is no path', [there('../x'), there('..')], [], ['download ..／x', 'download ‛..']],
    ['what is here alone stays', [], [here('a'), hereFolder('d')], []],
  ])('%s', (_, remote, local, steps) => {
    expect(plan(remote, local)).toEqual(steps)
  })

  test('reports new entries that get another name', () => {
    const remote = thereFolder('top', there('a/b'))
    const first = planPull(remote, undefined, {mirror: false, rules})
    expect(first.renamed).toEqual([{title: 'a/b', path: 'a／b', isFromEarlier: false}])
    const again = planPull(remote, hereFolder('', here('a／b')), {mirror: false, rules})
    expect(again.renamed).toEqual([])
  })

  test('--delete does not touch folders that were not listed', () => {
    const closed: RemoteFolder = {kind: 'folder', id: 'id-d', title: 'd'}
    expect(plan([closed], [hereFolder('d', here('a'))], true)).toEqual([])
  })

  test('--delete removes files missing remotely, at the end, but no failed or excluded ones', () => {
    const remote = [there('b'), document, there('x', 1, 'one'), there('x', 1, 'two')]
    const local = [here('a'), here('doc'), here('x'), hereFolder('d', here('e'))]
    expect(plan(remote, local, true).filter(step => !/^(skip|fail)/.test(step))).toEqual([
      'download b',
      'check x',
      'download x (1)',
      'remove a',
      'remove d',
    ])
  })
})
