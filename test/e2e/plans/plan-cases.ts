import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {World} from '../../support/world.js'

/** Commands that change something, each in a folder of its own with the same contents. */

/** The folder of a case: in the service, and on this machine. */
export interface CaseFolder {
  /** The remote path of the folder. */
  readonly top: string
  /** The ID of each item, by title. */
  readonly ids: Readonly<Record<string, string>>
  /** The local folder. */
  readonly local: string
}

export interface PlanCase {
  readonly name: string
  readonly line: (folder: CaseFolder) => readonly string[]
  /** The operations of the plan, in order. */
  readonly steps: readonly string[]
  /** Standard input, if the command reads names there. */
  readonly input?: (folder: CaseFolder) => string
  /** Local files, by path in the local folder. */
  readonly files?: (folder: CaseFolder) => Readonly<Record<string, string>>
  /** Changes the remote folder before the case. */
  readonly prepare?: (world: World, folder: CaseFolder) => Promise<unknown>
}

/** Creates the folder of a case: files a.txt and b.txt, a folder sub with c.txt, and old.txt in the trash. */
export async function createCase(world: World, title: string, one: PlanCase): Promise<CaseFolder> {
  const id = await world.make(title, 'root')
  const sub = await world.make('sub', id)
  const ids: Record<string, string> = {top: id, sub}
  for (const name of ['a.txt', 'b.txt', 'old.txt']) ids[name] = await world.make(name, id, name)
  ids['c.txt'] = await world.make('c.txt', sub, 'c')
  await world.drv('files trash', ids['old.txt']!)
  const local = join(world.folder, title)
  mkdirSync(join(local, 'tree', 'inner'), {recursive: true})
  const folder = {top: `/${title}`, ids, local}
  for (const [name, text] of Object.entries(one.files?.(folder) ?? {})) {
    writeFileSync(join(local, name), text)
  }
  await one.prepare?.(world, folder)
  return folder
}

const row = (...cells: readonly string[]) => `${cells.join(',')}\n`

/** The commands of single operations and of tables. */
export const operationCases: readonly PlanCase[] = [
  {
    name: 'files trash',
    line: ({ids}) => ['files', 'trash', ids['a.txt']!],
    steps: ['files.trash'],
  },
  {
    name: 'files patch of a path',
    line: ({top}) => ['files', 'patch', `${top}/a.txt`, '--description', 'new'],
    steps: ['files.patch'],
  },
  {
    name: 'files insert of content',
    line: ({top, local}) => ['files', 'insert', join(local, 'x.txt'), '--parent', top],
    files: () => ({'x.txt': 'content'}),
    steps: ['files.insert'],
  },
  {
    name: 'files insert that replaces',
    line: ({top, local}) => [
      ...['files', 'insert', join(local, 'x.txt'), '--parent', top],
      ...['--title', 'a.txt', '--if-exists', 'replace'],
    ],
    files: () => ({'x.txt': 'content'}),
    steps: ['files.update'],
  },
  {
    name: 'files update with content',
    line: ({ids, local}) => ['files', 'update', ids['a.txt']!, join(local, 'x.txt')],
    files: () => ({'x.txt': 'content'}),
    steps: ['files.update'],
  },
  {
    name: 'files copy',
    line: ({ids}) => ['files', 'copy', ids['a.txt']!, '--title', 'copy.txt'],
    steps: ['files.copy'],
  },
  {
    name: 'files delete',
    line: ({ids}) => ['files', 'delete', ids['a.txt']!],
    steps: ['files.delete'],
  },
  {
    name: 'properties insert',
    line: ({ids}) => ['properties', 'insert', ids['a.txt']!, '--key', 'k', '--value', 'v'],
    steps: ['properties.insert'],
  },
  {
    name: 'permissions insert',
    line: ({ids}) => [
      ...['permissions', 'insert', ids['a.txt']!, '--type', 'anyone', '--role', 'reader'],
    ],
    steps: ['permissions.insert'],
  },
  {
    name: 'several files',
    line: ({top}) => ['star', `${top}/a.txt`, `${top}/b.txt`],
    steps: ['files.patch', 'files.patch'],
  },
  {
    name: 'standard input',
    line: () => ['files', 'trash', '-'],
    input: ({top}) => `${top}/a.txt\n${top}/b.txt\n`,
    steps: ['files.trash', 'files.trash'],
  },
  {
    name: '--from with new files',
    line: ({top, local}) => ['files', 'insert', '--from', join(local, 'n.csv'), '--parent', top],
    files: () => ({'n.csv': row('title', 'description') + row('n1', 'one') + row('n2', 'two')}),
    steps: ['files.insert', 'files.insert'],
  },
  {
    name: '--from that changes a file twice',
    line: ({local}) => ['files', 'patch', '--from', join(local, 'p.csv')],
    files: ({ids}) => ({
      'p.csv':
        row('id', 'description') +
        row(ids['a.txt']!, 'one') +
        row(ids['b.txt']!, 'one') +
        row(ids['a.txt']!, 'two'),
    }),
    steps: ['files.patch', 'files.patch', 'files.patch'],
  },
]

/** Each of the other operations that change something, except those on shared drives and channels. */
export const otherOperationCases: readonly PlanCase[] = [
  {
    name: 'children insert',
    line: ({ids}) => ['children', 'insert', ids.sub!, '--id', ids['a.txt']!],
    steps: ['children.insert'],
  },
  {
    name: 'children delete',
    line: ({ids}) => ['children', 'delete', ids.sub!, ids['c.txt']!],
    steps: ['children.delete'],
  },
  {
    name: 'parents insert',
    line: ({ids}) => ['parents', 'insert', ids['a.txt']!, '--id', ids.sub!],
    steps: ['parents.insert'],
  },
  {
    name: 'parents delete',
    line: ({ids}) => ['parents', 'delete', ids['c.txt']!, ids.sub!],
    steps: ['parents.delete'],
  },
  {
    name: 'files untrash',
    line: ({ids}) => ['files', 'untrash', ids['old.txt']!],
    steps: ['files.untrash'],
  },
  {
    name: 'files update',
    line: ({ids}) => ['files', 'update', ids['a.txt']!, '--title', 'z.txt'],
    steps: ['files.update'],
  },
  {
    name: 'files modify-labels',
    line: ({ids}) => [
      ...['files', 'modify-labels', ids['a.txt']!],
      ...['--body', '{"labelModifications":[{"labelId":"urgent"}]}'],
    ],
    steps: ['files.modifyLabels'],
  },
  ...(['patch', 'update'] as const).flatMap((verb): PlanCase[] => [
    {
      name: `permissions ${verb}`,
      line: ({ids}) => ['permissions', verb, ids['a.txt']!, 'ada@example.com', '--role', 'writer'],
      prepare: (world, {ids}) => world.drv('share', ids['a.txt']!, 'ada@example.com'),
      steps: [`permissions.${verb}`],
    },
    {
      name: `properties ${verb}`,
      line: ({ids}) => ['properties', verb, ids['a.txt']!, 'k', '--value', 'new'],
      prepare: (world, {ids}) =>
        world.drv('properties insert', ids['a.txt']!, '--key', 'k', '--value', 'old'),
      steps: [`properties.${verb}`],
    },
    {
      name: `revisions ${verb}`,
      line: ({ids}) => ['revisions', verb, ids['a.txt']!, 'head', '--pinned'],
      steps: [`revisions.${verb}`],
    },
  ]),
  {
    name: 'permissions delete',
    line: ({ids}) => ['permissions', 'delete', ids['a.txt']!, 'ada@example.com'],
    prepare: (world, {ids}) => world.drv('share', ids['a.txt']!, 'ada@example.com'),
    steps: ['permissions.delete'],
  },
  {
    name: 'properties delete',
    line: ({ids}) => ['properties', 'delete', ids['a.txt']!, 'k'],
    prepare: (world, {ids}) =>
      world.drv('properties insert', ids['a.txt']!, '--key', 'k', '--value', 'old'),
    steps: ['properties.delete'],
  },
  {
    name: 'api call',
    line: ({ids}) => ['api', 'call', 'drive.files.trash', '--fileId', ids['a.txt']!],
    steps: ['files.trash'],
  },
]

/** The everyday verbs. */
export const everydayCases: readonly PlanCase[] = [
  {
    name: 'rm',
    line: ({top}) => ['rm', `${top}/a.txt`, `${top}/sub`],
    steps: ['files.trash', 'files.trash'],
  },
  {
    name: 'rm --permanently',
    line: ({top}) => ['rm', `${top}/a.txt`, '--permanently'],
    steps: ['files.delete'],
  },
  {
    name: 'mv',
    line: ({top}) => ['mv', `${top}/a.txt`, `${top}/b.txt`, `${top}/sub/`],
    steps: ['files.patch', 'files.patch'],
  },
  {
    name: 'mv that replaces',
    line: ({top}) => ['mv', `${top}/a.txt`, `${top}/b.txt`, '--if-exists', 'replace'],
    steps: ['files.patch', 'files.trash'],
  },
  {
    name: 'cp of a folder',
    line: ({top}) => ['cp', `${top}/sub`, `${top}/copy`],
    steps: ['files.insert', 'files.copy'],
  },
  {
    name: 'mkdir -p',
    line: ({top}) => ['mkdir', '-p', `${top}/x/y`, `${top}/sub`, `${top}/x/z`],
    steps: ['files.insert', 'files.insert', 'files.insert'],
  },
  {name: 'ln', line: ({top}) => ['ln', `${top}/a.txt`, `${top}/link`], steps: ['files.insert']},
  {
    name: 'rename',
    line: ({top}) => ['rename', 's/txt/text/', `${top}/a.txt`, `${top}/b.txt`],
    steps: ['files.patch', 'files.patch'],
  },
  {name: 'star', line: ({top}) => ['star', `${top}/a.txt`], steps: ['files.patch']},
  {
    name: 'touch',
    line: ({top}) => ['touch', `${top}/a.txt`, `${top}/new.txt`],
    steps: ['files.touch', 'files.insert'],
  },
  {name: 'restore', line: ({top}) => ['restore', `${top}/old.txt`], steps: ['files.untrash']},
  {
    name: 'revisions prune',
    line: ({top}) => ['revisions', 'prune', `${top}/a.txt`, '--keep', '1'],
    files: () => ({'x.txt': 'content'}),
    prepare: (world, {ids, local}) =>
      world.drv('files update', ids['a.txt']!, join(local, 'x.txt')),
    steps: ['revisions.delete'],
  },
]

/** Push and pull. */
export const treeCases: readonly PlanCase[] = [
  {
    name: 'push of new files',
    line: ({top, local}) => ['push', join(local, 'tree'), top],
    files: () => ({'tree/n.txt': 'n', 'tree/inner/m.txt': 'm'}),
    steps: ['files.insert', 'files.insert', 'files.insert', 'files.insert'],
  },
  {
    name: 'push --delete',
    line: ({top, local}) => ['push', `${local}/tree/`, top, '--delete'],
    files: () => ({'tree/a.txt': 'changed', 'tree/b.txt': 'b.txt', 'tree/n.txt': 'n'}),
    steps: ['files.insert', 'files.update', 'files.insert', 'files.trash'],
  },
  {
    name: 'push of one file',
    line: ({top, local}) => ['push', join(local, 'x.txt'), `${top}/y.txt`],
    files: () => ({'x.txt': 'content'}),
    steps: ['files.insert'],
  },
  {
    name: 'pull',
    line: ({top, local}) => ['pull', top, local],
    steps: ['mkdir', 'files.get', 'files.get', 'mkdir', 'files.get'],
  },
  {
    name: 'pull --delete',
    line: ({top, local}) => ['pull', `${top}/`, join(local, 'tree'), '--delete'],
    files: () => ({'tree/a.txt': 'changed', 'tree/b.txt': 'b.txt', 'tree/mine.txt': 'mine'}),
    steps: ['files.get', 'mkdir', 'files.get', 'remove', 'remove'],
  },
]

const ADA = 'ada@example.com'

/** Access to files. */
export const sharingCases: readonly PlanCase[] = [
  {
    name: 'share',
    line: ({top}) => ['share', `${top}/a.txt`, top, ADA, '--role', 'writer'],
    steps: ['permissions.insert', 'permissions.insert'],
  },
  {
    name: 'share that changes a role',
    line: ({top}) => ['share', `${top}/a.txt`, ADA, '--role', 'writer'],
    prepare: (world, {ids}) => world.drv('share', ids['a.txt']!, ADA),
    steps: ['permissions.patch'],
  },
  {
    name: 'share --public',
    line: ({top}) => ['share', `${top}/a.txt`, '--public'],
    steps: ['permissions.insert'],
  },
  {
    name: 'share --expires',
    line: ({top}) => ['share', `${top}/a.txt`, ADA, '--expires', '30d'],
    steps: ['permissions.insert', 'permissions.patch'],
  },
  {
    name: 'unshare',
    line: ({top}) => ['unshare', `${top}/a.txt`, ADA],
    prepare: (world, {ids}) => world.drv('share', ids['a.txt']!, ADA),
    steps: ['permissions.delete'],
  },
  {
    name: 'unshare --everywhere',
    line: () => ['unshare', '--everywhere', 'everywhere@example.com'],
    prepare: (world, {ids}) => world.drv('share', ids['a.txt']!, 'everywhere@example.com'),
    steps: ['permissions.delete'],
  },
]

/** Content that is in no local file, so that it is kept beside the plan. */
export const contentCases: readonly PlanCase[] = [
  {
    name: 'edit',
    line: ({top}) => ['edit', `${top}/a.txt`, `${top}/new.txt`],
    steps: ['files.update', 'files.insert'],
  },
  {
    name: 'restore --revision',
    line: ({top}) => ['restore', `${top}/a.txt`, '--revision', 'head~1'],
    files: () => ({'x.txt': 'content'}),
    prepare: (world, {ids, local}) =>
      world.drv('files update', ids['a.txt']!, join(local, 'x.txt')),
    steps: ['files.update'],
  },
  {
    name: 'push of standard input',
    line: ({top}) => ['push', '-', `${top}/date.txt`],
    input: () => 'today',
    steps: ['files.insert'],
  },
  {
    name: 'files insert of standard input',
    line: ({top}) => ['files', 'insert', '-', '--parent', top, '--title', 'date.txt'],
    input: () => 'today',
    steps: ['files.insert'],
  },
]

/** All cases. */
export const planCases: readonly PlanCase[] = [
  ...operationCases,
  ...otherOperationCases,
  ...everydayCases,
  ...treeCases,
  ...sharingCases,
  ...contentCases,
]
