import {Readable} from 'node:stream'
import {type Config, Errors} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import type {Send} from '#lib/client/transport/transport.js'
import apply from '../../src/commands/apply.js'
import cp from '../../src/commands/cp.js'
import filesInsert from '../../src/commands/files/insert.js'
import filesPatch from '../../src/commands/files/patch.js'
import filesTrash from '../../src/commands/files/trash.js'
import follow from '../../src/commands/follow.js'
import history from '../../src/commands/history.js'
import mkdir from '../../src/commands/mkdir.js'
import mv from '../../src/commands/mv.js'
import permissionsInsert from '../../src/commands/permissions/insert.js'
import propertiesInsert from '../../src/commands/properties/insert.js'
import pull from '../../src/commands/pull.js'
import push from '../../src/commands/push.js'
import restore from '../../src/commands/restore.js'
import rm from '../../src/commands/rm.js'
import share from '../../src/commands/share.js'
import star from '../../src/commands/star.js'
import undo from '../../src/commands/undo.js'
import unshare from '../../src/commands/unshare.js'
import unstar from '../../src/commands/unstar.js'
import {collector} from '../../test/support/collector.js'
import type {Result} from '../../test/support/drv.js'
import {commandName} from '../coverage.js'
import type {Kill, Process, World} from './kernel.js'

/** Runs command lines of drv in simulated processes. */

const COMMANDS = {
  ...{
    apply,
    cp,
    follow,
    history,
    mkdir,
    mv,
    pull,
    push,
    restore,
    rm,
    share,
    star,
    undo,
    unshare,
    unstar,
  },
  'files insert': filesInsert,
  'files patch': filesPatch,
  'files trash': filesTrash,
  'permissions insert': permissionsInsert,
  'properties insert': propertiesInsert,
}

/** The parts of a command that oclif calls. */
interface Running {
  id: string
  _run(): Promise<void>
  createContext(options: GlobalOptions, signal: AbortSignal, transport: Send): Context
}

const config = {
  bin: 'drv',
  version: '0.0.0',
  root: '/',
  scopedEnvVarKey: (name: string) => `DRV_${name}`,
  runHook: async () => ({successes: [], failures: []}),
} as unknown as Config

export interface Started {
  readonly process: Process
  /** The result, unless the process was killed. */
  readonly result: Promise<Result>
  /** The result after the process was killed. */
  killed(): Result
}

export interface Line {
  readonly argv: readonly string[]
  readonly input?: string | Buffer
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly kill?: Kill
}

/** Starts a command line. */
export function startDrv(world: World, line: Line, transport: Send): Started {
  const name = commandName(line.argv)
  const argv = line.argv.slice(name.split(' ').length)
  const Command = COMMANDS[name as keyof typeof COMMANDS]
  const stdout = collector()
  const stderr = collector()
  const {env, cwd, input = '', kill} = line
  const own = {
    env: {...env},
    cwd,
    stdin: Readable.from(input.length > 0 ? [Buffer.from(input)] : []),
    stdout: stdout.stream,
    stderr: stderr.stream,
  }
  const process = world.start(own, kill)
  const code = world.within(process, async () => {
    const command = new (Command as unknown as new (...given: unknown[]) => Running)(argv, config)
    command.id = name.replaceAll(' ', ':')
    const {createContext} = command
    command.createContext = (options, signal) =>
      createContext.call(command, options, signal, transport)
    try {
      await command._run()
      return 0
    } catch (error) {
      if (error instanceof Errors.ExitError) return error.oclif.exit ?? 0
      throw error
    }
  })
  const resultOf = (code: number | null): Result => ({
    ...{code, signal: code === null ? 'SIGKILL' : null},
    ...{stdout: stdout.text(), stderr: stderr.text()},
    json: () => JSON.parse(stdout.text()) as never,
  })
  return {process, result: code.then(resultOf), killed: () => resultOf(null)}
}
