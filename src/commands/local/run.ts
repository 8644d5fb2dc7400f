import {spawn} from 'node:child_process'
import {constants} from 'node:os'
import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {failureLog} from '#lib/cli/context/embedded-service.js'
import {
  clockFlag,
  clockOf,
  dataDirectory,
  dataFlag,
  launcherEnvironment,
  makeToken,
  startService,
  temporaryDirectory,
  writeLauncher,
} from '#lib/cli/context/local-service.js'
import {approvalOf, approveFlag} from '#lib/cli/local/approval.js'
import {faultsFlag, faultsOf} from '#lib/cli/local/faults.js'
import {
  expectationFailure,
  expectationsOf,
  reportFlags,
  writeReport,
} from '#lib/cli/local/run-report.js'
import {explainingSeed, seedFlag, seedIn} from '#lib/cli/local/seed.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {splitAtDashes} from '#lib/cli/terminal/read-argv.js'
import {isOutOfFiles, RAISE_FILE_LIMIT, reasonOf} from '#lib/platform/system-errors.js'

export default verb({
  summary: 'Run a command with its own local service.',
  description:
    'Starts the service on a free port, with a temporary data directory unless --data names one. Sets DRV_BASE_URL, DRV_AUTH_URL and DRV_TOKEN so that the command is signed in. When the command ends, the service stops and drv removes the temporary directory. No other program can sign in to this service: to test a sign-in, pass --approve, or use `drv local serve`. Exits with the exit code of the command.',
  usage: 'local run [FLAGS] -- COMMAND...',
  examples: [
    ['Try a command', 'local run -- drv files insert report.pdf'],
    [
      'Test a script against a service with simulated failures',
      'local run --faults faults.json -- sh script.sh',
    ],
    ['Start with users and files', 'local run --seed seed.yaml -- drv ls'],
  ],
  flags: {
    ...dataFlag,
    ...faultsFlag,
    ...clockFlag,
    ...approveFlag('other programs cannot sign in'),
    ...seedFlag,
    ...reportFlags,
  },
  // Otherwise oclif reads a command without `--` before it as part of this command's name.
  strict: false,
  effect: 'may destroy',
  // The words after `--` bypass oclif, which would reorder repeated words.
  ownArgv: argv => splitAtDashes(argv).own,
  async run({flags, argv, words: stray}, context) {
    const [, command, ...words] = splitAtDashes(argv).rest
    if (command === undefined || stray.length > 0) {
      throw new UsageError(
        stray.length > 0 ? `Unexpected argument "${stray[0]!}" before --.` : 'Missing COMMAND.',
        'Put the command after --, as in `drv local run -- drv files list`.',
      )
    }
    const {onEnd, environment, note, now} = context
    const faults = await faultsOf(flags.faults, context)
    const clock = clockOf(flags.clock, now)
    const approval = approvalOf(flags.approve)
    const expected = await expectationsOf(flags.expect, context)
    const seed = await seedIn(flags.seed, context)
    const directory = await temporaryDirectory()
    onEnd(directory.remove)
    const data = flags.data === undefined ? join(directory.path, 'data') : flags.data
    const options = {
      data: dataDirectory(data, environment),
      faults,
      clock,
      notice: note,
      checksDatabase: true,
      approval,
      // The sign-ins under test come from other programs.
      isOwned: approval === undefined,
      isControlled: true,
      log: failureLog(context),
      seed,
    }
    const service = await explainingSeed(() => startService(options))
    onEnd(() => service.close())
    const bin = join(directory.path, 'bin')
    await writeLauncher(bin, [process.execPath, ...process.execArgv, process.argv[1]!])
    const env = launcherEnvironment(environment, {
      url: service.url,
      token: await makeToken(service.store, {note: 'drv local run'}, (clock ?? now)()),
      config: join(directory.path, 'config'),
      bin,
    })
    const code = await runChild(context, command, words, env)
    if (flags.report !== undefined) await writeReport(flags.report, service.requestLog)
    const failure = expected && expectationFailure(service.requestLog, expected)
    // The exit code of the command comes first.
    if (failure && code === 0) throw failure
    for (const text of failure?.candidates ?? []) context.note(text)
    if (code !== 0) exitWith(code)
  },
})

/** Returns the exit code of the child: 128 plus the signal number if a signal ended it, as in a shell. */
async function runChild(
  {onEnd, onSignal}: Context,
  command: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(command, words, {env, stdio: 'inherit'})
  onEnd(() => void child.kill())
  // Signals are passed on, so the child decides when to end. A terminal sends Ctrl-C to the child itself.
  onSignal(name => {
    if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name)
  })
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'ENOENT' ? 'command not found' : reasonOf(error)
      const hint = isOutOfFiles(error) ? RAISE_FILE_LIMIT : undefined
      reject(new CommandError('failed', `Cannot run ${command}: ${reason}.`, hint))
    })
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    })
  })
}
