import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import type {NameRules} from '#lib/transfer/local/names.js'
import {partOf} from '#lib/transfer/target.js'
import type {
  LocalEntry,
  LocalFolder,
  RemoteEntry,
  RemoteFolder,
} from '#lib/transfer/tree/entries.js'
import type {PullPlan} from '#lib/transfer/tree/pull-plan.js'
import {resolveTwins} from '#lib/transfer/tree/push-plan.js'
import {planPull, planPush} from './whole-plans.js'

const linux = {isWindows: false, isCaseSensitive: true}
const mac = {isWindows: false, isCaseSensitive: false}
const windows = {isWindows: true, isCaseSensitive: false}

interface Facts {
  readonly created?: number
  readonly modified?: number
  readonly md5?: string
  readonly size?: number
}
const file = (title: string, id: string, facts: Facts = {}): RemoteEntry => ({
  ...{kind: 'file', id, title, size: 1, md5: `sum of ${id}`},
  ...facts,
})
const folder = (title: string, id: string, ...entries: RemoteEntry[]): RemoteFolder => ({
  ...{kind: 'folder', id, title, entries},
})
const top = (...entries: RemoteEntry[]) => folder('', 'top', ...entries)
const localFile = (name: string): LocalEntry => ({
  ...{kind: 'file', name, path: `/local/${name}`, size: 1, modified: 0},
})
const localFolder = (...entries: LocalEntry[]): LocalFolder => ({
  ...{kind: 'folder', name: '', path: '/local', entries},
})

/** The files in a folder after a pull. */
function pulled(plan: PullPlan): LocalFolder {
  type Growing = LocalFolder & {readonly entries: LocalEntry[]}
  const root: Growing = {kind: 'folder', name: '', path: '/local', entries: []}
  const folders = new Map([['', root]])
  for (const step of plan.steps) {
    const [, parent = '', name = ''] = /^(?:(.*)\/)?([^/]*)$/s.exec(step.path)!
    const {entries} = folders.get(parent)!
    expect(entries.map(entry => entry.name)).not.toContain(name)
    if (step.action === 'folder') {
      const made: Growing = {kind: 'folder', name, path: `/local/${step.path}`, entries: []}
      folders.set(step.path, made)
      entries.push(made)
    } else if (step.action === 'download') entries.push(localFile(name))
    else throw new Error(`${step.action} ${step.path}`)
  }
  return root
}

const changing = (steps: ReadonlyArray<{readonly action: string; readonly path: string}>) =>
  steps.filter(({action}) => action !== 'check').map(({action, path}) => `${action} ${path}`)

/** IDs of the files that are compared, by the IDs they were pulled from. */
function pairsOf(steps: ReturnType<typeof planPush>['steps'], plan: PullPlan) {
  const origin = new Map(
    plan.steps.flatMap(step => (step.action === 'download' ? [[step.path, step.remote.id]] : [])),
  )
  return steps.flatMap(step =>
    step.action === 'check' ? [[origin.get(step.path), step.remote.id]] : [],
  )
}

const titles = fc.oneof(
  fc.constantFrom('same.txt', 'same (1).txt', 'SAME.txt', 'ü', 'u\u0308', '', '..', '.drv-trash'),
  fc.constantFrom('a/b', 'a／b', 'a‛／b', 'a\nb', 'a␊b', 'a:b', 'a：b', 'NUL', partOf('a/b')),
  fc.constantFrom('x'.repeat(300), `${'x'.repeat(300)}y`, '/'.repeat(200), 'x'.repeat(255)),
  fc.string({unit: 'binary', maxLength: 3}),
)
const trees = fc.letrec<{folder: readonly [string, boolean, readonly unknown[]]}>(tie => ({
  folder: fc.tuple(
    titles,
    fc.boolean(),
    fc.oneof({maxDepth: 2}, fc.constant([]), fc.array(tie('folder'), {maxLength: 5})),
  ),
})).folder

function treeOf(
  [title, isFolder, inner]: readonly [string, boolean, readonly unknown[]],
  id: string,
): RemoteEntry {
  const entries = (inner as Parameters<typeof treeOf>[0][]).map((one, at) =>
    treeOf(one, `${id}-${(at * 7) % 5}${at}`),
  )
  return isFolder || id === 'top' ? folder(title, id, ...entries) : file(title, id)
}

describe.each([
  ['linux', linux],
  ['mac', mac],
  ['windows', windows],
] as Array<[string, NameRules]>)('after a pull on %s', (_, rules) => {
  const check = (remote: RemoteFolder, on: NameRules, isKnown: boolean) => {
    const plan = planPull(remote, undefined, {mirror: true, rules})
    const local = pulled(plan)
    const known = isKnown ? plan.known : undefined
    const again = planPull(remote, local, {mirror: true, rules: on, known})
    expect(changing(again.steps)).toEqual([])
    expect([again.renamed, again.twins]).toEqual([[], []])
    const push = planPush(local, remote, {mirror: true, rules: on, known})
    expect(changing(push.steps)).toEqual([])
    for (const [one, other] of pairsOf(push.steps, plan)) expect(other).toBe(one)
  }

  test.each([true, false])(
    'nothing is left to do in either direction (names known: %s)',
    isKnown => {
      fc.assert(
        fc.property(trees, tree => check(treeOf(tree, 'top') as RemoteFolder, rules, isKnown)),
        {numRuns: 500},
      )
    },
  )

  test('nothing is left to do on another system either', () => {
    const some = ['same.txt', 'same.txt', 'Same.txt', 'a/b', 'a:b', 'c\nd', 'ü', 'u\u0308', 'x.']
    const remote = top(
      ...some.map((title, at) => file(title, `id${at}`)),
      folder('d/e', 'd1', file('f/g', 'f')),
      folder('d/e', 'd2', file('f/g', 'g')),
    )
    // Case-sensitive disks can hold the names of any system.
    check(remote, rules.isCaseSensitive ? rules : linux, false)
  })
})

describe('a push of pushed files, on a system that allows more names than a pull creates', () => {
  test.each(['a\nb', '‛tis', '‛0041', 'a␊b', 'AC／DC', 'u\u0308', '.hidden', 'x'.repeat(255)])(
    '%j is neither sent twice nor downloaded again',
    name => {
      const local = localFolder(localFile(name))
      const [step] = planPush(local, top(), {mirror: true}).steps
      if (step?.action !== 'upload') throw new Error('nothing to upload')
      const remote = top(file(step.name, 'new'))
      expect(changing(planPush(local, remote, {mirror: true}).steps)).toEqual([])
      expect(changing(planPull(remote, local, {mirror: true, rules: linux}).steps)).toEqual([])
      // For example, if another program has used its local name as the title.
      const before = top(file(name, 'new'))
      expect(changing(planPush(local, before, {mirror: true}).steps)).toEqual([])
      expect(changing(planPull(before, local, {mirror: true, rules: linux}).steps)).toEqual([])
    },
  )
})

describe('files of the same title', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id, created) => file('same.txt', id, {created})) as [
    RemoteEntry,
    RemoteEntry,
    RemoteEntry,
  ]
  const pull = (remote: RemoteEntry[], local: LocalFolder, known: Map<string, string>) => {
    const plan = planPull(top(...remote), local, {mirror: false, rules: linux, known})
    for (const [id, name] of plan.known) known.set(id, name)
    return plan
  }
  const told = (steps: PullPlan['steps'] | ReturnType<typeof planPush>['steps']) =>
    steps.map(step => {
      const id = 'remote' in step ? step.remote.id : 'id' in step ? step.id : ''
      return [step.action, step.path, id].filter(Boolean).join(' ')
    })

  test('keep their names when one is added, removed or really has such a title', () => {
    const known = new Map<string, string>()
    const local = pulled(pull([a, b], localFolder(), known))
    const real = file('same (1).txt', 'real')
    expect(told(pull([real, a, c, b], local, known).steps)).toEqual([
      'download same (1) (1).txt real',
      'check same.txt a',
      'download same (2).txt c',
      'check same (1).txt b',
    ])
    expect(told(pull([c, b], local, known).steps)).toEqual([
      'download same (2).txt c',
      'check same (1).txt b',
    ])
    expect(told(planPush(local, top(real, b), {mirror: false, known}).steps)).toEqual([
      'upload same.txt',
      'check same (1).txt b',
    ])
  })

  test('are reported when one of them is new', () => {
    const known = new Map<string, string>()
    const plan = pull([a, b], localFolder(), known)
    expect(plan.twins.map(group => group.map(({id, path}) => `${path} ${id}`))).toEqual([
      ['same.txt a', 'same (1).txt b'],
    ])
    expect(plan.renamed).toEqual([])
    expect(pull([a, b], pulled(plan), known).twins).toEqual([])
  })

  const [old, recent] = [
    file('same.txt', 'old', {created: 1, modified: 5}),
    file('same.txt', 'recent', {created: 2, modified: 9}),
  ] as [RemoteEntry, RemoteEntry]
  const mine = localFolder(localFile('same.txt'))

  test('a push updates the one that the file was pulled from', () => {
    const plan = planPush(mine, top(old, recent), {
      mirror: false,
      known: new Map([['old', 'same.txt']]),
    })
    expect(told(plan.steps)).toEqual(['check same.txt old'])
    expect(plan.twins).toMatchObject([{path: 'same.txt', count: 2, isGuess: false}])
  })

  test('or the newest, without known names, and keeps the other one', () => {
    const plan = planPush(mine, top(old, recent), {mirror: true})
    expect(told(plan.steps)).toEqual(['check same.txt recent', 'skip same (1).txt'])
    expect(plan.steps).toMatchObject([{candidates: [{id: 'old'}]}, {}])
    expect(resolveTwins(plan, [{...(plan.steps[0] as any), action: 'replace'}])).toMatchObject([
      {id: 'recent', name: 'same.txt', count: 2, isGuess: true},
    ])
  })

  test('--delete trashes those that were here, and all if none is here anymore', () => {
    const known = new Map([
      ['old', 'same.txt'],
      ['recent', 'same (1).txt'],
    ])
    expect(told(planPush(mine, top(old, recent), {mirror: true, known}).steps)).toEqual([
      'check same.txt old',
      'trash same.txt recent',
    ])
    expect(told(planPush(localFolder(), top(old, recent), {mirror: true}).steps)).toEqual([
      'trash same.txt old',
      'trash same.txt recent',
    ])
  })

  test('of two kinds: each matches its own kind', () => {
    const remote = top(file('x', 'f'), folder('x', 'd', file('in', 'i')))
    const inner: LocalFolder = {...localFolder(localFile('in')), name: 'x', path: '/local/x'}
    expect(told(planPush(localFolder(inner), remote, {mirror: false}).steps)).toEqual([
      'check x/in i',
    ])
    expect(told(planPush(localFolder(localFile('x')), remote, {mirror: false}).steps)).toEqual([
      'check x f',
    ])
    expect(told(pull([...remote.entries!], localFolder(inner), new Map()).steps)).toEqual([
      'download x (1) f',
      'check x/in i',
    ])
  })

  test('a file is created beside one that belongs to another file', () => {
    const known = new Map([['b', 'same (1).txt']])
    const local = localFolder(localFile('same (1).txt'), localFile('same.txt'))
    const plan = planPush(local, top(b), {mirror: false, known})
    expect(told(plan.steps)).toEqual(['check same (1).txt b', 'upload same.txt'])
    expect(plan.pair.remote?.entries).toMatchObject([{id: 'b'}])
  })
})

test('if case is ignored, a name in another case is the same file', () => {
  const local = localFolder(localFile('makefile'))
  const remote = top(file('Makefile', 'm'))
  expect(changing(planPush(local, remote, {mirror: true, rules: mac}).steps)).toEqual([])
  expect(changing(planPull(remote, local, {mirror: true, rules: mac}).steps)).toEqual([])
})

test('a partial download is not the file that has its name in the service', () => {
  const part = partOf('a.txt')
  const rest: LocalEntry = {kind: 'other', name: part, path: `/local/${part}`, what: 'the rest'}
  const plan = planPull(top(file('a.txt', 'a'), file(part, 'p')), localFolder(rest), {
    ...{mirror: true, rules: linux},
  })
  expect(changing(plan.steps)).toEqual(['download a.txt', `download ‛${part}`])
  expect([...plan.parts]).toEqual([['a.txt', rest.path]])
})

test('a pull never replaces a file because of a name that is special only on another system', () => {
  const local = localFolder({...localFile('a：b'), size: 7} as LocalEntry)
  const plan = planPull(top(file('a:b', 'id')), local, {mirror: false, rules: linux})
  expect(changing(plan.steps)).toEqual(['download a:b'])
})

test('names that differ only in their Unicode form are two if both exist', () => {
  const both = ['ü', 'u\u0308']
  const local = localFolder(...both.map(localFile))
  const remote = top(...both.map((title, at) => file(title, `id${at}`)))
  expect(changing(planPush(local, remote, {mirror: true}).steps)).toEqual([])
  const one = top(...remote.entries!.slice(0, 1))
  expect(changing(planPush(local, one, {mirror: true}).steps)).toEqual(['upload u\u0308'])
  expect(changing(planPush(local, top(), {mirror: true}).steps)).toEqual(['fail ü'])
})

test('names for the same title cannot both be uploaded', () => {
  const local = localFolder(...['a␊b', 'a\nb'].map(localFile))
  expect(changing(planPush(local, top(), {mirror: true}).steps)).toEqual(['fail a␊b'])
})
