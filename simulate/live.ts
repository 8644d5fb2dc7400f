import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, mkdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {BINARY} from '../test/support/drv.js'
import type {Machine} from './action.js'
import {type FollowRun, judgeFollowed} from './followed.js'
import {readTree} from './local.js'
import type {Remote} from './remote.js'

/**
 * The contents of items by their paths without numbers: two machines may create a folder at the same time, and then
 * there are two remote folders of this name, one of which has a number locally.
 */
function byPlainPath(items: Iterable<readonly [path: string, content: string]>) {
  const found = new Map<string, string>()
  for (const [path, content] of [...items].sort(([, one], [, other]) => (one < other ? -1 : 1))) {
    const plain = path.replace(/ \(\d+\)(?=\/|$|\.[^/.]*$)/g, '')
    const known = found.get(plain)
    found.set(plain, known === undefined ? content : `${known}, ${content}`)
  }
  return found
}

/** A folder that commands with `--follow` keep equal on all sides. They run all the time, and are killed and started again. */
export interface LiveFolder {
  /** Makes some changes, and starts processes that have ended; returns wrong observations. */
  step(random: () => number, isKilling: boolean): string[]
  /** Notes that the sign-ins of machines may have expired. */
  signedOut(): void
  /** Waits until all sides are equal, and ends the processes; returns wrong observations. */
  finish(read: () => Promise<Remote>): Promise<string[]>
  close(): void
}

/** A command that follows a folder. */
export interface Follower {
  readonly name: string
  readonly argv: readonly string[]
  readonly machine: Machine
  /** Where it writes the changes (default: its standard output). */
  readonly output?: string
  /** Whether it writes each change, once. */
  readonly isReporting?: boolean
}

export interface LiveOptions {
  /** The remote path. */
  readonly path: string
  readonly followers: readonly Follower[]
  /** The local folders that must become equal to the remote one, by name. */
  readonly sides: Readonly<Record<string, string>>
  /** Makes one change of a local folder. */
  readonly edit: () => void
  readonly log: (line: string) => void
  readonly count: (action: string, end: string) => void
  /** Whether the sign-in of a machine may have expired. */
  readonly isExpired: (machine: Machine) => boolean
}

interface Process extends Follower {
  child?: ChildProcess
  /** What all its processes printed on standard error, and the length of the text before the current one. */
  stderr: string
  errorsBefore: number
  /** What the current process printed, and the ones before it. */
  stdout: string
  isKilled: boolean
  isSignedOut: boolean
  readonly runs: FollowRun[]
}

/** Milliseconds until all sides are equal, under faults and on a slow machine. */
const PATIENCE = 180_000
/** Exit codes of a process whose sign-in expired or that found the service down when it started, or a rate limit. */
const FAULTY = [7, 8]

export function startLiveFolder({
  path,
  followers,
  sides,
  edit,
  log,
  count,
  isExpired,
}: LiveOptions): LiveFolder {
  for (const folder of Object.values(sides)) mkdirSync(folder, {recursive: true})
  const processes = followers.map((one): Process => ({
    ...{...one, stdout: '', stderr: '', errorsBefore: 0, runs: []},
    ...{isKilled: false, isSignedOut: false},
  }))
  const reporting = processes.filter(({isReporting}) => isReporting)
  const runsOf = (process: Process): FollowRun[] => [
    ...process.runs,
    {text: reported(process), isKilled: process.isKilled},
  ]

  /** The changes that the current process has reported. */
  function reported({output, stdout, runs}: Process): string {
    if (output === undefined) return stdout
    const all = existsSync(output) ? readFileSync(output, 'utf8') : ''
    return all.slice(runs.reduce((sum, {text}) => sum + text.length, 0))
  }

  function start(process: Process): void {
    if (process.child) process.runs.push({text: reported(process), isKilled: process.isKilled})
    process.stdout = ''
    process.errorsBefore = process.stderr.length
    const {argv, machine} = process
    const child = spawn(globalThis.process.execPath, [BINARY, ...argv], {
      // The history of the machine is compared with its commands.
      env: {...machine.env, XDG_STATE_HOME: join(machine.files, '../state-live')},
      cwd: machine.files,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stderr.on('data', (chunk: Buffer) => (process.stderr += chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => (process.stdout += chunk.toString()))
    Object.assign(process, {child, isKilled: false, isSignedOut: isExpired(machine)})
  }

  const hasEnded = ({child}: Process) =>
    !child || child.exitCode !== null || child.signalCode !== null

  function judgeEnd({name, child, stderr, isKilled, isSignedOut}: Process): string[] {
    if (!child) return []
    const {exitCode: code} = child
    count(name, String(child.signalCode ?? code))
    if (isSignedOut && code === 4) return []
    if (isKilled || FAULTY.includes(code!)) return []
    return [`${name} ended with ${code}: ${stderr.slice(-2000)}`]
  }

  function restartEnded(): string[] {
    return processes.filter(hasEnded).flatMap(process => {
      const wrong = judgeEnd(process)
      start(process)
      return wrong
    })
  }

  function signedOut(): void {
    for (const process of processes) process.isSignedOut ||= isExpired(process.machine)
  }

  return {
    signedOut,
    step(random, isKilling) {
      signedOut()
      const wrong = restartEnded()
      for (let edits = Math.floor(random() * 6); edits > 0; edits--) edit()
      const chosen = processes[Math.floor(random() * processes.length)]!
      if (random() < 0.2 && isKilling) {
        log(`${chosen.machine.name}: drv ${chosen.name}: SIGKILL`)
        chosen.isKilled = true
        chosen.child?.kill('SIGKILL')
      }
      return wrong
    },
    async finish(read) {
      const end = Date.now() + PATIENCE
      for (;;) {
        const wrong = [...restartEnded(), ...processes.flatMap(internalErrors)]
        if (wrong.length > 0) return wrong
        const remote = await read()
        const unequal = differences(remote)
        if (unequal.length === 0) break
        if (Date.now() > end) {
          const texts = processes.map(({name, stderr}) => `${name}: ${stderr.slice(-1500)}`)
          return [...unequal.slice(0, 10), ...texts]
        }
        await wait(500)
      }
      const unreported = await waitForReport(await read(), end)
      const ends = await Promise.all(processes.map(endOf))
      return [
        ...unreported,
        ...ends.flat(),
        ...reporting.flatMap(one => judgeFollowed(runsOf(one))),
      ]
    },
    close() {
      for (const {child} of processes) child?.kill('SIGKILL')
    },
  }

  function internalErrors({name, stderr}: Process): string[] {
    return /Something went wrong inside drv/.test(stderr) ? [`${name}: ${stderr.slice(-2000)}`] : []
  }

  /** Differences between the edited folder, the remote one and its copy. */
  function differences(remote: Remote): string[] {
    const top = remote.at(path)
    const items = top ? remote.below(top.id) : []
    const there = byPlainPath(
      items.map(({id, isFolder, md5}) => [
        remote.pathOf(id).slice(path.length + 1),
        isFolder ? 'folder' : md5!,
      ]),
    )
    return Object.entries(sides).flatMap(([side, folder]) => {
      const tree = byPlainPath(readTree(folder))
      return [...new Set([...tree.keys(), ...there.keys()])]
        .filter(one => tree.get(one) !== there.get(one))
        .map(one => `${side} is ${tree.get(one)}, remote is ${there.get(one)}: ${one}`)
    })
  }

  /** Waits until each item that the folder contains was reported at least once. */
  async function waitForReport(remote: Remote, end: number): Promise<string[]> {
    const ids = remote.below(remote.at(path)!.id).map(({id}) => id)
    for (;;) {
      const missing = reporting.flatMap(process => {
        const text = runsOf(process)
          .map(run => run.text)
          .join('')
        return ids
          .filter(id => !text.includes(id))
          .map(id => `drv ${process.name} never reported ${remote.pathOf(id)}`)
      })
      if (missing.length === 0 || Date.now() > end) return missing
      restartEnded()
      await wait(500)
    }
  }

  async function endOf(process: Process): Promise<string[]> {
    for (;;) {
      const {child, name} = process
      const ended = once(child!, 'exit')
      child!.kill('SIGINT')
      const [code, signal] = (await ended) as [number | null, string | null]
      count(name, String(signal ?? code))
      // The signal ends Node while drv is not running yet, so the lock of a process that was killed before is left.
      const isEarly = signal === 'SIGINT' && process.stderr.length === process.errorsBefore
      if (!isEarly) return code === 130 ? [] : [`${name} ended with ${signal ?? code} after SIGINT`]
      start(process)
      await wait(1000)
    }
  }
}
