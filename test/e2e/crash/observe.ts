import {createHash} from 'node:crypto'
import {readdirSync, readFileSync, statSync} from 'node:fs'
import {join, relative} from 'node:path'
import {readRemote, type Remote} from '../../../simulate/remote.js'
import {runHere} from '../../support/here.js'
import {compiledIn} from './stage.js'
import type {Stage, Story} from './story.js'

/** What a command has left: remote items, local files, state, and the output of other commands. */
export interface Observation {
  readonly remote: Remote
  /** A line for each item: its path, its MD5 and its access. */
  readonly items: readonly string[]
  /** MD5s by path in the working directory. */
  readonly files: ReadonlyMap<string, string>
  /** The kinds of files in the home: paths without numbers and IDs, with modes. */
  readonly state: readonly string[]
  readonly outputs: readonly string[]
}

export async function observe(
  stage: Stage,
  {outputs = []}: Pick<Story, 'outputs'> = {},
): Promise<Observation> {
  const remote = await readRemote(stage.world.url, stage.world.env.DRV_TOKEN!)
  const texts: string[] = []
  for (const argv of outputs) {
    const {code, stdout, stderr} = await runHere(argv, {env: stage.env, cwd: stage.files})
    texts.push(masked(`drv ${argv.join(' ')} → ${code}\n${stdout}${code === 0 ? '' : stderr}`))
  }
  return {
    remote,
    items: itemLines(remote),
    files: new Map(
      filesIn(stage.files).map(path => [
        relative(stage.files, path).replace(/(\.drv-trash\/)[^/]*/, '$1TIME'),
        md5(readFileSync(path)),
      ]),
    ),
    state: [...new Set(stateFiles(stage.home).map(path => stateLine(path, stage.home)))].sort(),
    outputs: texts,
  }
}

export const md5 = (content: string | Buffer) => createHash('md5').update(content).digest('hex')

function itemLines(remote: Remote): string[] {
  return [...remote.items.values()]
    .map(({id, isFolder, md5: sum, isTrashed, isStarred, access}) => {
      const marks = [isTrashed && 'trashed', isStarred && 'starred'].filter(Boolean)
      const roles = Object.entries(access).map(([who, role]) => `${who}=${role}`)
      return [remote.pathOf(id), isFolder ? 'folder' : sum, ...marks, ...roles.sort()].join(' ')
    })
    .sort()
}

/** The files below a folder, and its empty folders. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** The files that drv keeps in a home, except compiled code. */
export function stateFiles(home: string): string[] {
  return filesIn(home).filter(path => !path.startsWith(compiledIn(home)))
}

function stateLine(path: string, home: string): string {
  const mode = (statSync(path).mode & 0o777).toString(8)
  return `${masked(relative(home, path))} ${mode}`
}

/** A text without the parts that differ between runs: times, hashes, IDs, addresses. */
export function masked(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(\.drv-trash\/)[^/ ]+/g, '$1TIME')
    .replace(/stage-\w+/g, 'stage')
    .replace(/\.content-\w{6}\b/g, '.content-ID')
    .replace(/user-\d+/g, 'user')
    .replace(/(?<![\w-])(?=[\w-]*\d)[\w-]{12,}/g, 'ID')
    .replace(/\b\d+\b/g, 'N')
}
