import {readdirSync, readFileSync} from 'node:fs'
import {dirname, join, relative, resolve, sep} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, test} from 'vitest'

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url))

interface Import {
  readonly from: string
  readonly to: string
  readonly kind: 'static' | 'dynamic' | 'type'
}

const files = readdirSync(SOURCE, {recursive: true, withFileTypes: true})
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => join(entry.parentPath, entry.name))

const imports: readonly Import[] = files.flatMap(file => {
  const from = relative(SOURCE, file).split(sep).join('/')
  const local = (name: string) => {
    if (name.startsWith('#lib/')) return name.slice(1).replace(/\.js$/, '.ts')
    if (!name.startsWith('.')) return name
    const path = relative(SOURCE, resolve(dirname(file), name))
      .split(sep)
      .join('/')
    return path.replace(/\.js$/, '.ts')
  }
  const text = readFileSync(file, 'utf8')
  const fixed = [...text.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'/gm)]
  const bare = [...text.matchAll(/^import\s+'([^']+)'/gm)]
  const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)]
  return [
    ...fixed.map(([, type, name = '']) => ({
      from,
      to: local(name),
      kind: type ? 'type' : 'static',
    })),
    ...bare.map(([, name = '']) => ({from, to: local(name), kind: 'static'})),
    ...dynamic.map(([, name = '']) => ({from, to: local(name), kind: 'dynamic'})),
  ] as Import[]
})

/** The layers of the source and the layers below each (imports run down only). */
const below: Readonly<Record<string, readonly string[]>> = {
  'lib/platform': [],
  'lib/api': ['lib/platform'],
  'lib/config': ['lib/platform', 'lib/api'],
  'lib/start': ['lib/platform', 'lib/config'],
  'lib/client': ['lib/platform', 'lib/api', 'lib/config'],
  'lib/history': ['lib/platform', 'lib/api', 'lib/client'],
  'lib/auth': ['lib/platform', 'lib/api', 'lib/config', 'lib/client'],
  'lib/transfer': ['lib/platform', 'lib/api', 'lib/config', 'lib/client'],
  'lib/follow': ['lib/platform', 'lib/api', 'lib/config', 'lib/client', 'lib/transfer'],
  'lib/policy': ['lib/platform', 'lib/api', 'lib/config', 'lib/client', 'lib/transfer'],
  'lib/service': ['lib/platform', 'lib/api'],
  'lib/local': ['lib/platform', 'lib/api', 'lib/service'],
  'lib/cli': [
    ...['lib/platform', 'lib/api', 'lib/config', 'lib/client'],
    ...['lib/history', 'lib/auth', 'lib/transfer', 'lib/follow', 'lib/policy'],
  ],
  commands: [
    'lib/platform',
    'lib/api',
    'lib/config',
    'lib/client',
    'lib/history',
    'lib/auth',
    'lib/transfer',
    'lib/follow',
    'lib/policy',
    'lib/cli',
  ],
}

/** The rooms of the command line, the lowest first; rooms in one row do not import each other. */
const CLI_ROOMS: ReadonlyArray<readonly string[]> = [
  ['terminal'],
  ['output'],
  ['explain'],
  ['context'],
  ['input'],
  ['guard'],
  ['changes'],
  ['plan-file'],
  ['run'],
  ['verbs'],
  ['account', 'document', 'local'],
  ['help'],
  ['completion'],
  ['start.ts'],
]

/** The rooms of the service, the lowest first; rooms in one row do not import each other. */
const SERVICE_ROOMS: ReadonlyArray<readonly string[]> = [
  ['errors.ts', 'clock.ts'],
  ['store'],
  ['call.ts', 'check.ts'],
  ['content'],
  ['metadata'],
  ['records'],
  ['sharing', 'query'],
  ['http'],
  ['request-log'],
  ['oauth'],
  ['handlers', 'uploads', 'seed'],
  ['window'],
  ['server', 'control'],
  ['faults'],
  ['inspect'],
  ['index.ts'],
]

const roomOf = (path: string) => Object.keys(below).find(room => path.startsWith(`${room}/`))

const shown = ({from, to, kind}: Import) => `${from} -> ${to} (${kind})`

test('every file is in a room', () => {
  expect(imports.length).toBeGreaterThan(100)
  expect([...new Set(imports.map(({from}) => from))].filter(from => !roomOf(from))).toEqual([])
})

test('imports run down only', () => {
  const wrong = imports.filter(({from, to, kind}) => {
    const [room, target] = [roomOf(from)!, roomOf(to)]
    if (target === undefined || room === target) return false
    // The service is loaded only when a command needs it.
    const isLazyService = target === 'lib/service' && kind !== 'static'
    if (isLazyService && (room === 'lib/cli' || room === 'commands')) return false
    return !below[room]!.includes(target)
  })
  expect(wrong.map(shown)).toEqual([])
})

test.each([
  ['lib/cli', CLI_ROOMS],
  ['lib/service', SERVICE_ROOMS],
] as const)('the rooms of %s import each other in one direction', (floor, rooms) => {
  const rankOf = (path: string) => {
    const room = path.slice(floor.length + 1).split('/')[0]!
    return {room, rank: rooms.findIndex(row => row.includes(room))}
  }
  const inside = imports.filter(
    ({from, to}) => from.startsWith(`${floor}/`) && to.startsWith(`${floor}/`),
  )
  expect(inside.length).toBeGreaterThan(100)
  expect(inside.filter(({from}) => rankOf(from).rank < 0).map(shown)).toEqual([])
  const wrong = inside.filter(({from, to}) => {
    const [importer, imported] = [rankOf(from), rankOf(to)]
    return importer.room !== imported.room && importer.rank <= imported.rank
  })
  expect(wrong.map(shown)).toEqual([])
})

test('only the command line imports oclif', () => {
  const wrong = imports.filter(
    ({from, to}) => to.startsWith('@oclif/') && !/^(lib\/cli|commands)\//.test(from),
  )
  expect(wrong.map(shown)).toEqual([])
})

test('lib/api has no side effects', () => {
  const hasSystem = new Set(imports.filter(({to}) => !to.startsWith('lib/')).map(({from}) => from))
  const wrong = imports.filter(
    ({from, to}) => from.startsWith('lib/api/') && (!to.startsWith('lib/') || hasSystem.has(to)),
  )
  expect(wrong.map(shown)).toEqual([])
})

test('large modules are not loaded at the start of a command', () => {
  const heavy =
    /^(got|libsql|@inquirer\/.*|@napi-rs\/keyring|jsonc-parser|ora|open|cli-table3|mime|fast-xml-parser)$/
  const wanted = new Map(imports.map(entry => [entry.from, [] as Import[]]))
  for (const entry of imports) if (entry.kind === 'static') wanted.get(entry.from)!.push(entry)
  const reached = new Set(
    files
      .map(file => relative(SOURCE, file).split(sep).join('/'))
      .filter(from => from.startsWith('commands/')),
  )
  const loaded: Import[] = []
  for (const from of reached) {
    for (const entry of wanted.get(from) ?? []) {
      loaded.push(entry)
      reached.add(entry.to)
    }
  }
  expect(loaded.length).toBeGreaterThan(100)
  expect(
    loaded.filter(({to}) => heavy.test(to) || to.startsWith('lib/service/')).map(shown),
  ).toEqual([])
})

/** The import cycles, each from a file back to itself. */
function circlesIn(found: readonly Import[]): string[] {
  const edges = new Map<string, string[]>()
  for (const {from, to} of found) edges.set(from, [...(edges.get(from) ?? []), to])
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    const at = path.indexOf(file)
    if (at >= 0) circles.push([...path.slice(at), file].join(' -> '))
    if (at >= 0 || done.has(file)) return
    for (const to of edges.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of edges.keys()) visit(file, [])
  return circles
}

test('no two files import each other in a cycle, including types', () => {
  expect(circlesIn(imports.filter(({kind}) => kind !== 'dynamic'))).toEqual([])
})

/** The files in which the service runs SQL. */
const STORES = /^lib\/service\/(oauth\/)?store\//
/** The files with SQL conditions for the stores. */
const CONDITIONS = /^lib\/service\/query\//

const STATEMENT =
  /\b(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+[\w${}]+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s)/
/** A call of the database; maps also have `get`. */
const RUN =
  /(?<!\bPromise)\s*\.(all|run|prepare)\s*[<(]|\b(store|database|db)\s*\.get\s*[<(]|\.get\s*<|\{[^{}]*\b(all|get|run|prepare)\b[^{}]*\}(\s*=\s*|\s*:\s*)(\w+\.)*(store|database|db|Store|Database)\b/

/** The files of the service outside of its stores in which a pattern occurs, each with the match. */
function foundOutsideStores(pattern: RegExp, except?: RegExp): string[] {
  return files.flatMap(file => {
    const path = relative(SOURCE, file).split(sep).join('/')
    const isOpen = path.startsWith('lib/service/') && !STORES.test(path)
    const found = isOpen && !except?.test(path) && pattern.exec(readFileSync(file, 'utf8'))
    return found ? [`${path}: ${found[0].trim()}`] : []
  })
}

test('the service has SQL only in its stores, and conditions for them only in queries', () => {
  expect(foundOutsideStores(STATEMENT, CONDITIONS)).toEqual([])
})

test('only its stores run SQL', () => {
  expect(foundOutsideStores(RUN)).toEqual([])
})
