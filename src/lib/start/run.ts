import {readFileSync} from 'node:fs'
import Module, {createRequire} from 'node:module'
import {userInfo} from 'node:os'
import {dirname, join} from 'node:path'
import {cachedDataVersionTag} from 'node:v8'
import {Script} from 'node:vm'
import {cacheDirectory, systemHome} from '#lib/config/paths.js'
import {commandsToKeep, type Compiled, nameFor, readCompiled, writeCompiled} from './compiled.js'

/** The word in place of a command with which the scripts for shells ask what completes a line. */
const TAB = '__complete'

/** What answers them: little, which is all that is loaded for most of what they ask. */
interface Tab {
  complete(words: readonly string[], bundle: string, load: () => Bundle): Promise<void>
}

/** What the bundle exports for whoever starts it. */
interface Bundle {
  start(): Promise<void>
  /** The commands that were loaded. */
  readonly loaded: ReadonlySet<string>
}

/**
 * Runs drv, which is all in one file. V8 compiles it once for each command that is used, and keeps
 * the result among the user's caches: compiling takes longer than most commands do.
 */
export function run(file: string): void {
  completeUser(process.env)
  const [, , first, ...words] = process.argv
  if (first !== TAB) return void open(file).start()
  const {complete} = createRequire(file)('./tab.cjs') as Tab
  void complete(words, file, () => open(file))
}

/** Loads the bundle, and keeps what V8 compiles of it until the process ends. */
function open(file: string): Bundle {
  const source = readFileSync(file)
  const {version: node, arch, env, platform} = process
  const caches = cacheDirectory(env, systemHome, platform)
  const directory = caches && join(caches, 'compiled')
  const v8 = cachedDataVersionTag()
  const name = nameFor({node, arch, v8, source})
  const read = directory ? readCompiled(directory, name) : undefined
  const {script, bundle} = load(file, source, read)
  const kept = script.cachedDataRejected ? undefined : read
  if (directory) {
    // By then everything that the command needs is compiled, and its work is done.
    process.once('exit', () => {
      const commands = commandsToKeep(kept, bundle.loaded)
      // A command may have changed V8's flags: no V8 would take what it makes with those.
      if (!commands || cachedDataVersionTag() !== v8) return
      writeCompiled(directory, name, () => ({code: script.createCachedData(), commands}))
    })
  }
  return bundle
}

/** Does what `require` would, with compiled code where there is some. The file holds nothing but ASCII. */
export function load(file: string, source = readFileSync(file), compiled?: Compiled) {
  const script = new Script(source.toString('latin1'), {
    filename: file,
    cachedData: compiled?.code,
  })
  const module = new Module(file)
  module.filename = file
  const require = createRequire(file)
  // oclif asks for the file by its name when it looks for commands.
  require.cache[file] = module
  const define = script.runInThisContext() as (...names: readonly unknown[]) => void
  define(module.exports, require, module, file, dirname(file))
  return {script, bundle: module.exports as Bundle}
}

/**
 * Sets a shell and a home directory for a user without an entry in /etc/passwd, as in a container
 * started with `--user`: where the variables are missing, oclif asks the system as soon as it is
 * loaded, which throws. Everywhere else an empty HOME counts as none.
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
