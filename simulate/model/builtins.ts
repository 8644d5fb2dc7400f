import crypto from 'node:crypto'
import fs from 'node:fs'
import {syncBuiltinESMExports} from 'node:module'
import {resolve} from 'node:path'
import timers from 'node:timers/promises'
import type {Disk} from './disk.js'
import {currentProcess, type Process, type ProcessState, ROOT, type World} from './kernel.js'

/**
 * Replaces what Node offers to reach the machine, for code that runs in a simulated process: time, randomness, files
 * below `/sim/` and process IDs. All other code, such as the runner of the tests, sees the real machine.
 */

/** A path in full, without links to open folders. */
function pathOf({world, own: {cwd}}: Process, path: string): string {
  const whole = resolve(cwd, path)
  const [, file = '', below = ''] = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(whole) ?? []
  const folder = file && world.diskOf(Number(file))?.pathOf(Number(file))
  return folder ? folder + below : whole
}

/** The disk with a path, or with the file of a descriptor; `undefined` for the real machine. */
function diskWith(world: World, file: unknown): Disk | undefined {
  // Descriptors of memfs count down from 2^31.
  if (typeof file === 'number') return file > 0x7000_0000 ? world.diskOf(file) : undefined
  return String(file).startsWith(ROOT) ? world.disk(String(file).split('/')[2]!) : undefined
}

type AnyFunction = (...given: unknown[]) => unknown
type Functions = Record<string, AnyFunction>

/** Replaces the functions until the returned function is called. */
export function replaceBuiltins(): () => void {
  const undo: Array<() => unknown> = []
  const replace = (of: object, name: string, value: unknown) => {
    const before = Object.getOwnPropertyDescriptor(of, name)
    Object.defineProperty(of, name, {value, configurable: true, writable: true, enumerable: true})
    undo.push(() =>
      before ? Object.defineProperty(of, name, before) : Reflect.deleteProperty(of, name),
    )
  }
  /** Replaces a function: `inside` runs in simulated processes. */
  const inWorld = (
    of: object,
    name: string,
    inside: (world: World, ...given: any[]) => unknown,
  ) => {
    const outside = (of as Functions)[name]!
    replace(of, name, function (this: unknown, ...given: unknown[]) {
      const world = currentProcess()?.world
      return world ? inside(world, ...given) : outside.apply(this, given)
    })
  }

  replaceFiles(fs as unknown as Functions, ({fs}) => fs as unknown as Functions, replace)
  const ofPromises = ({fs}: Disk) => fs.promises as unknown as Functions
  replaceFiles(fs.promises as unknown as Functions, ofPromises, replace, true)
  replaceTime(replace, inWorld)

  inWorld(Math, 'random', world => world.random())
  const bytes = (world: World, size: number) =>
    Buffer.from(Array.from({length: size}, () => Math.floor(world.random() * 256)))
  inWorld(crypto, 'randomBytes', bytes)
  inWorld(crypto, 'randomUUID', world => {
    const hex = bytes(world, 16).toString('hex')
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5')
  })

  const {kill} = process
  inWorld(process, 'kill', (world, id: number, signal: number) => {
    if (id < 100_000) return kill(id, signal)
    if (world.isRunning(id)) return true
    throw Object.assign(new Error('kill ESRCH'), {code: 'ESRCH'})
  })
  const get = (name: string, inside: () => unknown) => {
    const before = Object.getOwnPropertyDescriptor(process, name)!
    const outside = () => (before.get ? (before.get.call(process) as unknown) : before.value)
    Object.defineProperty(process, name, {configurable: true, get: () => inside() ?? outside()})
    undo.push(() => Object.defineProperty(process, name, before))
  }
  get('pid', () => currentProcess()?.pid)
  inWorld(globalThis, 'fetch', (_, ...given: Parameters<typeof fetch>) =>
    currentProcess()!.own.fetch(...given),
  )
  inWorld(process, 'cwd', () => currentProcess()!.own.cwd)
  for (const name of ['env', 'stdin', 'stdout', 'stderr'] satisfies Array<keyof ProcessState>) {
    get(name, () => currentProcess()?.own[name])
  }
  // Simulated processes are killed, and receive no other signals.
  for (const name of ['on', 'off']) inWorld(process, name, () => process)

  syncBuiltinESMExports()
  return () => {
    for (const one of undo.reverse()) one()
    syncBuiltinESMExports()
  }
}

function replaceFiles(
  of: Functions,
  simulated: (disk: Disk) => Functions,
  replace: (of: object, name: string, value: unknown) => void,
  isAsync = false,
): void {
  for (const name of Object.keys(of)) {
    const outside = of[name]
    if (typeof outside !== 'function' || /^[A-Z_]/.test(name)) continue
    const replaced = function (this: unknown, ...given: unknown[]) {
      const process = currentProcess()
      if (!process) return outside.apply(this, given)
      const paths = /^(rename|link|copyFile|cp)/.test(name) ? 2 : 1
      const all = given.map((one, index) =>
        typeof one === 'string' && index < paths ? pathOf(process, one) : one,
      )
      const disk = diskWith(process.world, all[0])
      if (disk) return simulated(disk)[name]!(...all)
      if (isAsync) throw new Error(`Outside of the simulation: ${name} ${String(given[0])}`)
      return outside.apply(this, given)
    }
    replace(of, name, Object.assign(replaced, outside))
  }
}

/** A timer as Node returns it. */
class SimulatedTimer {
  #cancel: () => void = () => undefined

  constructor(
    readonly world: World,
    readonly work: () => void,
    readonly milliseconds: number,
    readonly isRepeated = false,
  ) {
    this.refresh()
  }

  refresh = (): this => {
    this.close()
    this.#cancel = this.world.later(this.milliseconds, () => {
      if (this.isRepeated) this.refresh()
      this.work()
    })
    return this
  }

  close = (): void => this.#cancel()
  ref = (): this => this
  unref = (): this => this
  hasRef = (): boolean => true
}

function replaceTime(
  replace: (of: object, name: string, value: unknown) => void,
  inWorld: (of: object, name: string, inside: (world: World, ...given: any[]) => unknown) => void,
): void {
  const RealDate = Date
  const now = () => currentProcess()?.world.now() ?? RealDate.now()
  replace(
    globalThis,
    'Date',
    new Proxy(RealDate, {
      construct: (target, given, newTarget) =>
        Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
      get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
    }),
  )
  inWorld(performance, 'now', world => world.now())

  const start =
    (isRepeated: boolean) =>
    (world: World, work: AnyFunction, milliseconds = 0, ...given: unknown[]) =>
      new SimulatedTimer(world, () => work(...given), milliseconds, isRepeated)
  inWorld(globalThis, 'setTimeout', start(false))
  inWorld(globalThis, 'setInterval', start(true))
  for (const name of ['clearTimeout', 'clearInterval']) {
    const outside = (globalThis as unknown as Functions)[name]!
    replace(globalThis, name, (timer: unknown) =>
      timer instanceof SimulatedTimer ? timer.close() : outside(timer),
    )
  }
  const {setImmediate: nextTurn} = globalThis
  inWorld(globalThis, 'setImmediate', (world, work: AnyFunction, ...given: unknown[]) => {
    if (currentProcess()!.isEnded) return undefined
    world.turns++
    return nextTurn(() => {
      world.turns--
      work(...given)
    })
  })

  inWorld(
    timers,
    'setTimeout',
    async (world, milliseconds: number, value?: unknown, {signal}: {signal?: AbortSignal} = {}) => {
      await world.asyncEffect()
      return new Promise((resolve, reject) => {
        const abort = () => {
          cancel()
          reject(Object.assign(new Error('aborted'), {name: 'AbortError', code: 'ABORT_ERR'}))
        }
        const cancel = world.later(milliseconds, () => {
          signal?.removeEventListener('abort', abort)
          resolve(value)
        })
        if (signal?.aborted) abort()
        else signal?.addEventListener('abort', abort, {once: true})
      })
    },
  )
  inWorld(timers, 'setImmediate', (world, value?: unknown) => {
    if (currentProcess()!.isEnded) return new Promise(() => undefined)
    world.turns++
    return new Promise(resolve =>
      nextTurn(() => {
        world.turns--
        resolve(value)
      }),
    )
  })
}
