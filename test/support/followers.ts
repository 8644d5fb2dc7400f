import type {ChildProcess} from 'node:child_process'
import {createHash} from 'node:crypto'
import {existsSync, readdirSync, readFileSync, readlinkSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {assignNames} from '#lib/transfer/local/names.js'
import {startDrv} from './drv.js'
import type {World} from './world.js'

/** A running `drv push --follow` or `drv pull --follow`. */
export interface Follower {
  readonly child: ChildProcess
  /** What it wrote to standard error so far. */
  text(): string
  /** Ends it; answers its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

export function startFollower(
  world: World,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Follower {
  const child = startDrv(args, {env: {...world.env, ...env}, cwd: world.folder})
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  return {
    child,
    text: () => text,
    async end(signal = 'SIGINT') {
      child.kill(signal)
      return ended
    },
  }
}

/** Waits until a condition holds; throws with `explain` after some seconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  explain: () => unknown = () => '',
  seconds = 20,
): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!(await holds())) {
    if (Date.now() > end)
      throw new Error(`Still not so: ${JSON.stringify(await explain(), undefined, 1)}`)
    await wait(100)
  }
}

export const md5 = (content: string | Buffer) => createHash('md5').update(content).digest('hex')

/** The files of a local tree with their MD5s, and its folders, which end in a slash. */
export function localTree(folder: string, path = '', isWithTrash = false): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(folder, {withFileTypes: true})) {
    if ((entry.name === '.drv-trash' && !isWithTrash) || entry.name.endsWith('.part')) continue
    const at = `${path}${entry.name}`
    const whole = join(folder, entry.name)
    if (entry.isDirectory()) {
      found[`${at}/`] = ''
      Object.assign(found, localTree(whole, `${at}/`, isWithTrash))
    } else if (entry.isSymbolicLink()) found[at] = readlinkSync(whole)
    else if (existsSync(whole)) found[at] = md5(readFileSync(whole))
  }
  return found
}

/** The same of a remote folder. Items of the same title have the names that every machine gives them. */
export async function remoteTree(
  world: World,
  id: string,
  path = '',
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const children = (await world.children(id)).map(item => ({
    ...item,
    created: Date.parse(item.createdDate),
  }))
  const rules = {isWindows: false, isCaseSensitive: true}
  for (const {entry, name, claimants} of assignNames(children, rules)) {
    const isFolder = entry.mimeType === FOLDER_TYPE
    const at = `${path}${claimants.length > 1 ? name : entry.title}${isFolder ? '/' : ''}`
    found[at] = isFolder ? '' : entry.md5Checksum
    if (isFolder) Object.assign(found, await remoteTree(world, entry.id, at))
  }
  return found
}

/** The MD5s of all content in the service: also in the trash, and of earlier revisions. */
export async function remoteSums(world: World): Promise<Set<string>> {
  const sums = new Set<string>()
  const ask = async (path: string) => {
    const headers = {authorization: `Bearer ${world.env.DRV_TOKEN}`}
    const answer = await fetch(world.url + path, {headers})
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as {items: any[]; nextPageToken?: string}
  }
  let token = ''
  do {
    const page = await ask(`/drive/v2/files?maxResults=1000${token && `&pageToken=${token}`}`)
    for (const {id, md5Checksum} of page.items) {
      if (md5Checksum === undefined) continue
      const {items} = await ask(`/drive/v2/files/${id}/revisions`)
      for (const revision of items) sums.add(revision.md5Checksum)
      sums.add(md5Checksum)
    }
    token = page.nextPageToken ?? ''
  } while (token !== '')
  return sums
}

/** The IDs of a remote tree by path. */
export async function remoteIds(
  world: World,
  id: string,
  path = '',
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const {id: child, title, mimeType} of await world.children(id)) {
    const at = `${path}${title}`
    found[at] = child
    if (mimeType === FOLDER_TYPE) Object.assign(found, await remoteIds(world, child, `${at}/`))
  }
  return found
}

const text = (tree: Record<string, string>) => JSON.stringify(Object.entries(tree).sort())

/** Whether two trees are equal. */
export function isSameTree(one: Record<string, string>, other: Record<string, string>): boolean {
  return text(one) === text(other)
}

/** Entries in which two trees differ. */
export function difference(one: Record<string, string>, other: Record<string, string>) {
  const only = (some: Record<string, string>, others: Record<string, string>) =>
    Object.entries(some).filter(([path, sum]) => others[path] !== sum)
  return {first: only(one, other), second: only(other, one)}
}
