import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import {runHere} from '../../support/here.js'
import type {World} from '../../support/world.js'
import type {Stage, Story} from './story.js'

let users = 0

/** Prepares the place of a run. `compiled` has compiled code for the command. */
export async function openStage(
  world: World,
  story: Story,
  compiled?: string,
): Promise<Stage & {remove(): void}> {
  const own = await world.as(`user-${++users}`)
  const folder = mkdtempSync(join(world.folder, 'stage-'))
  const [home, files] = [join(folder, 'home'), join(folder, 'files')]
  mkdirSync(files)
  mkdirSync(join(home, 'own'), {recursive: true})
  mkdirSync(dirname(compiledIn(home)), {recursive: true, mode: 0o700})
  if (compiled !== undefined) linkFiles(compiled, compiledIn(home))
  const env = {
    ...own.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    ...story.env,
  }
  const stage: Stage = {
    world: own,
    folder,
    home,
    files,
    env,
    file(path, content) {
      mkdirSync(dirname(join(files, path)), {recursive: true})
      writeFileSync(join(files, path), content)
    },
    make: (title, content, parent = 'root') => own.make(title, parent, content),
    async drv(...argv) {
      const result = await runHere(argv, {env, cwd: files})
      if (result.code !== 0) throw new Error(`drv ${argv.join(' ')}: ${result.stderr}`)
      return result
    },
  }
  await story.setUp?.(stage)
  return {...stage, remove: () => rmSync(folder, {recursive: true, force: true})}
}

/** The folder of compiled code in a home. */
export function compiledIn(home: string): string {
  return join(home, 'cache', 'drv', 'compiled')
}

/** Gives the files of a folder second names in another. */
export function linkFiles(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, {recursive: true, mode: 0o700})
  for (const name of readdirSync(from)) linkSync(join(from, name), join(to, name))
}
