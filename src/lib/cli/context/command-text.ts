import {shellWord} from '#lib/cli/terminal/read-argv.js'
import {withoutSecrets} from '#lib/cli/terminal/say.js'
import type {Context} from './context.js'

/** The command line of a run, quoted for a shell, without the secrets of the environment. */
export function commandText({typed, environment}: Pick<Context, 'typed' | 'environment'>): string {
  return withoutSecrets(['drv', ...typed.map(shellWord)].join(' '), environment)
}
