import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {randomOf} from './random.js'

/** Names that other machines get with other characters, or that the service writes differently. */
const ENCODED = ['CON', 'tab\there']

const NAMES = [
  ...['a.txt', 'b.txt', 'report.pdf', 'no extension', 'ünïcode.txt', "it's.txt", 'a (1).txt'],
  ...[
    '-dash',
    '.hidden',
    '#hash',
    'x'.repeat(120),
    'sp  ace ',
    'q&a=1.txt',
    'tab\there',
    '日本語.md',
  ],
  ...['CON', 'semi;colon', '$HOME', '100%', 'back\\slash', 'A.txt'],
]

/** Random changes of a local folder, as people and editors make them. */
export function createEditor(root: string, seed: number, isPlain = false) {
  const names = NAMES.filter(name => !isPlain || !ENCODED.includes(name))
  const random = randomOf(seed)
  const pick = <T>(some: readonly T[]): T | undefined => some[Math.floor(random() * some.length)]
  /** The contents that were saved, in order. */
  const saved: string[] = []
  /** The contents that an edit itself overwrote or removed. */
  const destroyed = new Set<string>()
  let number = 0

  function all(kind: 'file' | 'folder', folder = root): string[] {
    const found: string[] = kind === 'folder' && folder === root ? [root] : []
    for (const entry of readdirSync(folder, {withFileTypes: true})) {
      if (entry.name === '.drv-trash') continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) found.push(...(kind === 'folder' ? [path] : []), ...all(kind, path))
      else if (kind === 'file' && !entry.name.endsWith('.part')) found.push(path)
    }
    return found
  }

  const content = () => {
    number += 1
    const text =
      random() < 0.1 ? '' : `version ${seed}-${number} ${'x'.repeat(Math.floor(random() * 2000))}`
    saved.push(text)
    return text
  }
  /** Notes the contents below a path that an edit is about to overwrite or remove. */
  const destroy = (path: string): void => {
    if (!existsSync(path)) return
    const files = statSync(path).isDirectory() ? all('file', path) : [path]
    for (const file of files) destroyed.add(readFileSync(file, 'utf8'))
  }
  const freePlace = (): string | undefined => {
    const path = join(pick(all('folder'))!, pick(names)!)
    return existsSync(path) ? undefined : path
  }

  const edits: ReadonlyArray<readonly [weight: number, edit: () => void]> = [
    [5, () => void withPlace(path => writeFileSync(path, content()))],
    [
      4,
      () =>
        withFile(path => {
          destroy(path)
          writeFileSync(path, content())
        }),
    ],
    [
      2,
      () =>
        withFile(path => {
          destroy(path)
          appendFileSync(path, 'more')
          saved.push(readFileSync(path, 'utf8'))
        }),
    ],
    // An editor saves a new file over the old one.
    [
      2,
      () =>
        withFile(path => {
          const next = join(root, '.saving')
          writeFileSync(next, content())
          destroy(path)
          renameSync(next, path)
        }),
    ],
    [4, () => withFile(path => withPlace(to => renameSync(path, to)))],
    [
      2,
      () =>
        withFile(path =>
          withFile(to => {
            if (path === to) return
            destroy(to)
            renameSync(path, to)
          }),
        ),
    ],
    [3, () => withPlace(path => mkdirSync(path))],
    [
      2,
      () =>
        withFolder(path =>
          withPlace(to => void (!`${to}/`.startsWith(`${path}/`) && renameSync(path, to))),
        ),
    ],
    [
      2,
      () =>
        withFile(path => {
          destroy(path)
          rmSync(path)
        }),
    ],
    [
      1,
      () =>
        withFolder(path => {
          destroy(path)
          rmSync(path, {recursive: true})
        }),
    ],
    [
      1,
      () =>
        withFile(path => {
          // A folder in the place of a file.
          destroy(path)
          rmSync(path)
          mkdirSync(path)
        }),
    ],
  ]
  const bag = edits.flatMap(([weight, edit]) => Array.from({length: weight}, () => edit))

  function withFile(work: (path: string) => unknown): void {
    const path = pick(all('file'))
    if (path !== undefined) work(path)
  }

  function withFolder(work: (path: string) => unknown): void {
    const path = pick(all('folder').slice(1))
    if (path !== undefined && statSync(path).isDirectory()) work(path)
  }

  function withPlace(work: (path: string) => unknown): void {
    const path = freePlace()
    if (path !== undefined) work(path)
  }

  return {
    saved,
    destroyed,
    random,
    /** Makes one random change; a path that another program removed meanwhile is no error. */
    edit(): void {
      try {
        pick(bag)!()
      } catch (error) {
        const {code = ''} = error as NodeJS.ErrnoException
        if (
          ![
            'ENOENT',
            'EISDIR',
            'ENOTDIR',
            'EEXIST',
            'ENOTEMPTY',
            'EINVAL',
            'ENAMETOOLONG',
          ].includes(code)
        )
          throw error
      }
    },
  }
}
