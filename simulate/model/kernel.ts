import {AsyncLocalStorage} from 'node:async_hooks'
import {PassThrough, Readable, type Writable} from 'node:stream'
import {randomOf} from '../../test/support/random.js'
import {Disk} from './disk.js'

/**
 * A machine room in one process: time that passes only when nothing else can happen, processes that can be killed
 * between any two effects, and a disk in memory. Everything that happens in it follows from its seed and its program.
 */

/** When the time of every world begins: 2026-11-21T12:00:00Z. */
const BEGIN = Date.UTC(2026, 10, 21, 12)

/** The folder of all disks; each machine has its home in one of its own, named after it. */
export const ROOT = '/sim/'

/** Virtual milliseconds after which a command that still waits has hung. */
const LONGEST = 24 * 3_600_000

/** A running command, or the service. */
export interface Process {
  readonly pid: number
  readonly world: World
  /** It was killed, or has ended: nothing that it still does has an effect. */
  isEnded: boolean
  /** The number of effects so far: changes of files, requests, waits. */
  effects: number
  readonly kill?: Kill
  /** The streams and variables that it has. */
  readonly own: ProcessState
}

export interface ProcessState {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly fetch: typeof fetch
}

/** When a process is killed. */
export interface Kill {
  /** The effect in whose place it is killed, from 0. */
  readonly at: number
  /** What else happens at that moment. */
  readonly then?: () => void
}

/** Thrown in place of an effect of a killed process. */
export class Killed extends Error {}

interface Timer {
  readonly time: number
  readonly order: number
  readonly process: Process
  readonly run: () => void
}

const running = new AsyncLocalStorage<Process>()
const nextTurn = setImmediate

/** The process whose code is running; `undefined` outside of all worlds. */
export const currentProcess = (): Process | undefined => running.getStore()

export class World {
  readonly random: () => number
  readonly #disks = new Map<string, Disk>()
  /** Counts everything that happens, to notice when nothing does. */
  activity = 0
  /** Turns of the event loop that some code waits for. */
  turns = 0
  #now = BEGIN
  #order = 0
  #timers: Timer[] = []
  readonly #processes = new Map<number, Process>()

  /** `pickNext` chooses one of several events that are due at the same time. */
  constructor(
    seed: number,
    readonly pickNext: (count: number) => number,
  ) {
    this.random = randomOf(seed)
  }

  now = (): number => this.#now

  /** The disk of a machine, by its name. */
  disk(name: string): Disk {
    const known = this.#disks.get(name)
    if (known) return known
    const disk = new Disk(() => this.effect())
    this.#disks.set(name, disk)
    running.exit(() => disk.fs.mkdirSync(`${ROOT}${name}`, {recursive: true}))
    return disk
  }

  /** The disk with an open file. */
  diskOf(file: number): Disk | undefined {
    return [...this.#disks.values()].find(disk => disk.pathOf(file) !== undefined)
  }

  /** Starts a process, which `within` enters. */
  start(own: Partial<ProcessState> = {}, kill?: Kill): Process {
    const pid = 100_001 + this.#processes.size
    const process: Process = {
      pid,
      world: this,
      isEnded: false,
      effects: 0,
      own: {
        env: {},
        cwd: '/',
        stdin: Readable.from([]),
        stdout: new PassThrough(),
        stderr: new PassThrough(),
        fetch,
        ...own,
      },
      ...(kill && {kill}),
    }
    this.#processes.set(pid, process)
    return process
  }

  /** Ends all processes, so that nothing of this world goes on. */
  end(): void {
    for (const process of this.#processes.values()) process.isEnded = true
  }

  isRunning = (pid: number): boolean => this.#processes.get(pid)?.isEnded === false

  within<T>(process: Process, work: () => T): T {
    return running.run(process, work)
  }

  /** Counts an effect of the running process. Throws `Killed` in place of the effect if it was killed. */
  effect(): void {
    this.activity++
    const process = running.getStore()
    if (!process) return
    if (process.effects++ === process.kill?.at && !process.isEnded) {
      process.isEnded = true
      running.exit(() => process.kill?.then?.())
    }
    if (process.isEnded) throw new Killed('killed')
  }

  /** Like `effect`, but never resolves for a killed process, which would otherwise try again for ever. */
  async asyncEffect(): Promise<void> {
    try {
      this.effect()
    } catch {
      await new Promise(() => undefined)
    }
  }

  /** Runs `work` of the running process after a time in ms; never if the process ends before. */
  later(milliseconds: number, work: () => void, process = running.getStore()!): () => void {
    this.activity++
    const wait = Math.max(1, Math.ceil(milliseconds) || 1)
    const timer = {time: this.#now + wait, order: this.#order++, process, run: work}
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter(one => one !== timer)
    }
  }

  /** Lets time pass until all are settled, or their processes were killed. Throws if one waits for ever. */
  async run(commands: ReadonlyArray<{process: Process; result: Promise<unknown>}>): Promise<void> {
    const open = new Set(commands.map(({process}) => process))
    for (const {process, result} of commands) {
      const end = () => void open.delete(process)
      result.then(end, end)
    }
    const limit = this.#now + LONGEST
    for (;;) {
      await this.#quiet()
      for (const process of open) if (process.isEnded) open.delete(process)
      if (open.size === 0) return
      if (!this.#advance() || this.#now > limit) throw new Error('A command waits for ever.')
    }
  }

  /** Lets time pass until the next event; false if there is none. */
  #advance(): boolean {
    this.#timers = this.#timers.filter(({process}) => !process.isEnded)
    if (this.#timers.length === 0) return false
    const time = Math.min(...this.#timers.map(timer => timer.time))
    const due = this.#timers.filter(timer => timer.time === time).sort((a, b) => a.order - b.order)
    const next = due[due.length === 1 ? 0 : this.pickNext(due.length)]!
    this.#timers = this.#timers.filter(timer => timer !== next)
    this.#now = time
    running.run(next.process, next.run)
    return true
  }

  /** Lets time pass until nothing is left to happen in a process. */
  async settle(process: Process): Promise<void> {
    const isBusy = () => this.#timers.some(timer => timer.process === process)
    for (await this.#quiet(); isBusy(); await this.#quiet()) this.#advance()
  }

  /** Resolves when no code can run before time passes. */
  async #quiet(): Promise<void> {
    for (let before = -1; before !== this.activity || this.turns > 0;) {
      before = this.activity
      await new Promise<void>(resolve => nextTurn(resolve))
    }
  }
}
