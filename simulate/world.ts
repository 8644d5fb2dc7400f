import {type ChildProcess, spawn, spawnSync} from 'node:child_process'
import {once} from 'node:events'
import {mkdirSync, writeFileSync} from 'node:fs'
import {type AddressInfo, createServer} from 'node:net'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {pathToFileURL} from 'node:url'
import {durationIn} from '#lib/api/moment.js'
import {createService, type Service} from '#lib/service/index.js'
import {BINARY, freshEnvironment, type Result, runDrv} from '../test/support/drv.js'
import type {Machine} from './action.js'
import {watchStrikes} from './strikes.js'

/** A service in a process of its own, users with machines, and a view of the same data without failures. */
export interface World {
  readonly folder: string
  readonly data: string
  readonly machines: readonly Machine[]
  /** Tokens by user, for observing. */
  readonly tokens: ReadonlyMap<string, string>
  readonly userOf: (machine: Machine) => string
  /** The same data at another address, without failures. */
  readonly sound: Service
  run(machine: Machine, argv: readonly string[], options?: RunHere): Promise<Result>
  /** Kills the service with SIGKILL and starts it again. */
  restart(): Promise<void>
  /** Replaces the simulated failures; the service restarts. */
  setFaults(plan: object | undefined): Promise<void>
  /** Moves the clock of the service, such as by `+20m`. */
  moveClock(offset: string): Promise<void>
  /** The problems that `drv local check` finds. */
  check(): Promise<string[]>
  /** Makes the disk of a machine with a small one read-only, or writable again. */
  setReadOnly(machine: Machine, isReadOnly: boolean): void
  /** Ends the shortage of disk space. */
  enlargeDisks(): void
  close(): Promise<void>
}

/** A signal that a command gets while it runs. */
export interface Kill {
  readonly signal: NodeJS.Signals
  /** Milliseconds after the start. */
  readonly after: number
}

interface RunHere {
  readonly input?: string | Buffer
  readonly kill?: Kill
}

const SMALL = '3m'
/** Milliseconds by which the clock of a machine with a wrong one is behind. */
const BEHIND = 26 * 3_600_000
/** Makes the clock of a process wrong. */
const SKEW = `const now = Date.now
globalThis.Date = class extends Date {
  constructor(...args) { args.length === 0 ? super(now() - ${BEHIND}) : super(...args) }
  static now() { return now() - ${BEHIND} }
}
`
const CLIENT_ID = 'simulated-laptop'

/** The machines: a user, how they sign in, whether their disk is small, and whether their clock is wrong. */
export const MACHINES = [
  {name: 'ada-ci', user: 'ada'},
  {name: 'ada-laptop', user: 'ada', signsIn: true},
  {name: 'ben-ci', user: 'ben', hasWrongClock: true},
  {name: 'ben-small', user: 'ben', hasSmallDisk: true},
] as const satisfies ReadonlyArray<{
  name: string
  user: string
  signsIn?: boolean
  hasSmallDisk?: boolean
  hasWrongClock?: boolean
}>

/** Only root of Linux may mount disks; elsewhere all disks are large. */
const mount = (...args: string[]) =>
  globalThis.process.platform === 'linux' && spawnSync('mount', args).status === 0

/** Starts a world; `onStrike` gets each failure of the service. */
export async function createWorld(
  folder: string,
  onStrike: (kind: string) => void,
): Promise<World> {
  const data = join(folder, 'service')
  const sound = await createService({data})
  const port = await freePort()
  let faults: object | undefined
  /** Milliseconds by which the clock of the service is ahead; it does not go back when the service is killed. */
  let ahead = 0
  let process: ChildProcess | undefined
  let strikes: ChildProcess | undefined

  async function start(): Promise<void> {
    const plan = join(folder, 'faults.json')
    writeFileSync(plan, JSON.stringify(faults ?? {rules: []}))
    const args = ['local', 'serve', '--data', data, '--port', String(port), '--approve', 'ada']
    const clock = new Date(Date.now() + ahead).toISOString()
    process = spawn(
      globalThis.process.execPath,
      [BINARY, ...args, '--faults', plan, '--clock', clock],
      {
        env: freshEnvironment(join(folder, 'home-service')),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const lines = createInterface({input: process.stdout!})
    await Promise.race([
      once(lines, 'line'),
      once(process, 'exit').then(([code]) => {
        throw new Error(`The service ended with ${code}.`)
      }),
    ])
    strikes?.kill()
    strikes = watchStrikes(data, freshEnvironment(join(folder, 'home-service')), onStrike)
  }

  async function restart(): Promise<void> {
    const ended = once(process!, 'exit')
    process!.kill('SIGKILL')
    await ended
    await start()
  }

  await start()
  const address = `http://127.0.0.1:${port}`
  const local = async (...args: string[]): Promise<string> => {
    const env = freshEnvironment(join(folder, 'home-service'))
    const {code, stdout, stderr} = await runDrv(['local', ...args, '--data', data], {env})
    if (code !== 0) throw new Error(`drv local ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const tokens = new Map<string, string>()
  for (const user of ['ada', 'ben', 'cleo', 'dora']) {
    tokens.set(user, await local('token', '--user', user))
  }
  const expiring = ['--device-flow', '--expires', '15m', '--reuse-interval', '30s']
  await local('app', 'create', 'Laptop', '--client-id', CLIENT_ID, '--public', ...expiring)

  const run: World['run'] = (machine, argv, {input, kill} = {}) => {
    const end = Date.now() + (kill?.after ?? 0)
    return runDrv(argv, {
      env: machine.env,
      cwd: machine.files,
      ...(input !== undefined && {input}),
      ...(kill && {ending: {signal: kill.signal, when: () => Date.now() >= end}}),
    })
  }

  const skew = join(folder, 'skew.mjs')
  writeFileSync(skew, SKEW)
  const machines: Machine[] = []
  const disks: string[] = []
  for (const {
    name,
    user,
    signsIn = false,
    hasSmallDisk = false,
    hasWrongClock = false,
  } of MACHINES.map(
    (
      one,
    ): {
      name: string
      user: string
      signsIn?: boolean
      hasSmallDisk?: boolean
      hasWrongClock?: boolean
    } => one,
  )) {
    const home = join(folder, name)
    mkdirSync(home)
    if (hasSmallDisk && mount('-t', 'tmpfs', '-o', `size=${SMALL}`, 'tmpfs', home)) disks.push(home)
    const machine: Machine = {
      name,
      area: `/${name}`,
      env: {
        ...freshEnvironment(home),
        DRV_BASE_URL: address,
        DRV_AUTH_URL: address,
        ...(hasWrongClock && {NODE_OPTIONS: `--import=${pathToFileURL(skew).href}`}),
        ...(signsIn ? {DRV_CLIENT_ID: CLIENT_ID} : {DRV_TOKEN: tokens.get(user)!}),
      },
      work: join(home, 'work'),
      copy: join(home, 'copy'),
      files: join(home, 'files'),
      signsIn,
      hasSmallDisk: disks.includes(home),
    }
    for (const path of [machine.work, machine.copy, machine.files]) {
      mkdirSync(path, {recursive: true})
    }
    const setUp = [
      ...(signsIn ? [['auth', 'login', '--insecure-storage']] : []),
      ['mkdir', machine.area],
    ]
    for (const argv of setUp) {
      const {code, stderr} = await run(machine, argv)
      if (code !== 0) throw new Error(`${name}: drv ${argv.join(' ')}: ${stderr}`)
    }
    machines.push(machine)
  }

  return {
    folder,
    data,
    machines,
    tokens,
    userOf: ({name}) => MACHINES.find(one => one.name === name)!.user,
    sound,
    run,
    restart,
    async setFaults(plan) {
      faults = plan
      await restart()
    },
    async moveClock(offset) {
      await local('clock', offset)
      ahead += durationIn(offset.slice(1))!
    },
    async check() {
      const env = freshEnvironment(join(folder, 'home-service'))
      const {code, stdout} = await runDrv(['local', 'check', '--data', data], {env})
      return code === 0 ? [] : [`drv local check ended with ${code}: ${stdout}`]
    },
    setReadOnly({env}, isReadOnly) {
      if (disks.includes(env.HOME!)) mount('-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, env.HOME!)
    },
    enlargeDisks() {
      for (const disk of disks) mount('-o', 'remount,size=256m', disk)
    },
    async close() {
      process?.kill('SIGKILL')
      strikes?.kill()
      for (const disk of disks) spawnSync('umount', ['--lazy', disk])
      await sound.close()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
