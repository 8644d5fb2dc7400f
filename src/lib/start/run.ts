import {readFileSync} from 'node:fs'
import Module, {createRequire} from 'node:module'
import {userInfo} from 'node:os'
import {dirname, join} from 'node:path'
import {cachedDataVersionTag} from 'node:v8'
import {Script} from 'node:vm'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {commandsToKeep, type Compiled, nameFor, readCompiled, writeCompiled} from './compiled.js'

/** The word that shell completion scripts send instead of a command to ask for completions. */
const TAB = '__complete'

/** The completion code. It is a small file of its own so that most completions load nothing else. */
interface Tab {
  complete(words: readonly string[], bundle: string, load: () => Bundle): Promise<void>
}

/** The exports of the bundle that this file uses. */
interface Bundle {
  start(): Promise<void>
  /** Names of the commands loaded so far. */
  readonly loaded: ReadonlySet<string>
}

/**
 * Runs drv, which is bundled into one file. V8 compiles the bundle once for each command in use, and
 * the compiled code is cached in the user's cache directory, because compiling takes longer than most
 * commands take to run.
 */
export function run(file: string): void {
  completeUser(process.env)
  const [, , first, ...words] = process.argv
  if (first !== TAB) return void open(file).start()
  const {complete} = createRequire(file)('./tab.cjs') as Tab
  void complete(words, file, () => open(file))
}

/** Loads the bundle, and saves its compiled code when the process exits. */
function open(file: string): Bundle {
  const source = readFileSync(file)
  const {version: node, arch, env, platform} = process
  const caches = cacheDirectory(env, systemHome, platform)
  const directory = caches && join(caches, 'compiled')
  const v8 = cachedDataVersionTag()
  const name = nameFor({node, arch, v8, source})
  const read = directory ? readCompiled(directory, name) : undefined
  const {script, bundle} = load(file, source, read)
  // Only the names, because a command that runs for days should not hold the code twice.
  const kept = script.cachedDataRejected || !read ? undefined : {commands: read.commands}
  if (directory) {
    // At exit, everything the command needs has been compiled and the command has finished.
    process.once('exit', () => {
      const commands = commandsToKeep(kept, bundle.loaded)
      // A command may have changed V8's flags. V8 rejects code compiled with other flags.
      if (!commands || cachedDataVersionTag() !== v8) return
      writeCompiled(directory, name, () => ({code: script.createCachedData(), commands}))
    })
  }
  return bundle
}

/** Does what `require` does, with compiled code where available. The file contains only ASCII. */
export function load(file: string, source = readFileSync(file), compiled?: Compiled) {
  const script = new Script(source.toString('latin1'), {
    filename: file,
    cachedData: compiled?.code,
  })
  const module = new Module(file)
  module.filename = file
  const require = createRequire(file)
  // oclif requires the file by name when it looks for commands.
  require.cache[file] = module
  const define = script.runInThisContext() as (...names: readonly unknown[]) => void
  define(module.exports, require, module, file, dirname(file))
  return {script, bundle: module.exports as Bundle}
}

/**
 * Sets a shell and a home directory for a user without an entry in /etc/passwd, such as in a container
 * started with `--user`. Without these variables oclif asks the system while it loads, which throws.
 * Elsewhere an empty HOME counts as unset.
 */
export function completeUser(environment: NodeJS.ProcessEnv): void {
  if (environment.SHELL === undefined) {
    try {
      userInfo()
    } catch {
      // The default of passwd(5).
      environment.SHELL = '/bin/sh'
    }
  }
  if (environment.HOME === undefined && systemHome() === undefined) environment.HOME = ''
}
