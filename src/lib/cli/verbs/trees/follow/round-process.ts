import {type ChildProcess, spawn} from 'node:child_process'
import {realpathSync} from 'node:fs'
import {join, sep} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError, exitWith} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import type {RowStream} from '#lib/cli/verbs/follow/row-stream.js'

/**
 * The rounds of a follower run in a process of their own, which ends when nothing is left to do, because V8 and the
 * allocator of the system return most of the memory of a round only when the process ends. The process is the same
 * command line once more. It asks the follower for what outlasts a round; the follower sends it events.
 */

/** The variable of the process of rounds. */
const VARIABLE = 'DRV_ROUND_PROCESS'
/** The question that hands over the state for the next round, and ends the process. */
const END = 'end'
const START = 'start'

type Message =
  | {readonly ask: string; readonly number: number; readonly value: unknown}
  | {readonly answer: number; readonly value: unknown}
  | {readonly event: string; readonly value: unknown}

/** Answers questions of the process of rounds, by name. */
export type Answers = Readonly<Record<string, (value: never) => unknown>>

/** The processes that run the rounds of a follower, one after the other. */
export interface RoundProcesses {
  /**
   * Runs rounds until nothing is left to do, and returns the state for the next ones. Throws the reason of `signal`;
   * ends the command with the status of a process that failed, which has printed the
   * error. Throws `CommandError` if it was killed.
   */
  run(state: unknown, answers: Answers): Promise<unknown>
  /** Sends an event to the running process, if any. */
  send(event: string, value?: unknown): void
}

/** The follower, as the process of its rounds sees it. */
export interface Follower {
  /** The state that the last process handed over; `undefined` for the first one. */
  state(): Promise<unknown>
  ask(name: string, value?: unknown): Promise<unknown>
  on(event: string, hear: (value: never) => void): void
  /** Hands over the state for the next rounds, and ends this process. */
  end(state: unknown): Promise<never>
}

/**
 * The processes for rounds; `undefined` if the command cannot be run once more: its standard input was read, it
 * contains the service, or it does not run as a program of its own.
 */
export async function roundProcesses(
  context: Context,
  signal: AbortSignal,
): Promise<RoundProcesses | undefined> {
  const {environment, root, typed} = context
  if (typed.includes('-') || !isProgram(root) || (await context.settings()).embedded) {
    return undefined
  }
  let child: ChildProcess | undefined
  const send = (message: Message) => {
    // The process may end at any time.
    if (child?.connected) child.send(message, () => undefined)
  }
  const sendEvent = (event: string, value?: unknown) => send({event, value})
  let closed: Promise<readonly [code: number | null, killedBy?: string]> | undefined
  context.onEnd(async () => {
    sendEvent('stop')
    await closed
  })
  return {
    send: sendEvent,
    async run(state, answers) {
      let ended: {readonly state: unknown} | undefined
      const all: Answers = {
        ...answers,
        [START]: () => state,
        [END]: next => void (ended = {state: next}),
      }
      child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
        env: {...environment, [VARIABLE]: '1'},
        stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
        serialization: 'advanced',
      })
      const running = child
      closed = new Promise(resolve => {
        running.once('close', (...end: [number | null, string]) => resolve(end))
        running.once('error', () => resolve([null]))
      })
      const failure = new Promise<never>((_, reject) => {
        running.once('error', reject)
        running.on('message', (message: Message) => {
          if (!('ask' in message)) return
          void (async () => all[message.ask]!(message.value as never))().then(
            value => send({answer: message.number, value}),
            reject,
          )
        })
      })
      const stop = () => sendEvent('stop')
      signal.addEventListener('abort', stop, {once: true})
      if (signal.aborted) stop()
      try {
        const [code, killedBy] = await Promise.race([failure, closed])
        signal.throwIfAborted()
        if (killedBy) throw killedError(killedBy)
        if (code !== exitCodes.done || !ended) exitWith(code || exitCodes.failed)
        return ended.state
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
  }
}

/** The error for a process that the system or another program has killed. What it had completed is recorded. */
function killedError(name: string): CommandError {
  return new CommandError(
    'failed',
    `The process that carries out changes was killed (${name}).`,
    'Run the same command again to continue.',
  )
}

/** The follower, if this is a process of its rounds. */
export function followerOf({environment}: Pick<Context, 'environment'>): Follower | undefined {
  if (environment[VARIABLE] === undefined) return undefined
  // Without the follower, nobody waits for changes or handles signals.
  if (!process.connected) exitWith(exitCodes.interrupted)
  const heard = new Map<string, (value: never) => void>()
  const pending = new Map<number, (value: unknown) => void>()
  let number = 0
  process.on('message', (message: Message) => {
    if ('event' in message) heard.get(message.event)?.(message.value as never)
    if (!('answer' in message)) return
    pending.get(message.answer)?.(message.value)
    pending.delete(message.answer)
  })
  process.once('disconnect', () => process.exit(exitCodes.interrupted))
  const ask = (name: string, value?: unknown) =>
    new Promise<unknown>(resolve => {
      number += 1
      pending.set(number, resolve)
      const message: Message = {ask: name, number, value}
      process.send!(message)
    })
  return {
    state: () => ask(START),
    ask,
    on: (event, hear) => void heard.set(event, hear),
    async end(state) {
      await ask(END, state)
      process.removeAllListeners('disconnect')
      exitWith(exitCodes.done)
    },
  }
}

/** Prints rows through the follower, which writes the whole document. */
export function rowsThrough(follower: Follower): RowStream {
  return {
    print: async row => void (await follower.ask('print', row)),
    end: async () => undefined,
  }
}

/** Whether this process runs drv on its own, and not for a program that uses its code and collects its output. */
function isProgram(root: string): boolean {
  const {argv, stdout, stderr} = process
  if (stdout.fd !== 1 || stderr.fd !== 2) return false
  try {
    return realpathSync(argv[1]!).startsWith(realpathSync(join(root, 'bin')) + sep)
  } catch {
    return false
  }
}
