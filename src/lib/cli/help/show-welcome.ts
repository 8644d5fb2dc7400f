import {lineWidth} from '#lib/cli/terminal/layout.js'
import {readConfig} from '#lib/config/config.js'
import {directories, systemHome} from '#lib/config/paths.js'
import {resolveSettings} from '#lib/config/settings.js'
import {harmless} from '#lib/platform/sanitize.js'
import {aloneText, type Standpoint} from './welcome.js'

/** Writes what `drv` says that is asked for nothing. */
export async function showAlone(environment: NodeJS.ProcessEnv): Promise<void> {
  const text = aloneText(await standpoint(environment), lineWidth(process.stdout.columns))
  process.stdout.write(harmless(text))
}

/** Where one is, from what is noted: neither the service nor the keychain is asked. */
async function standpoint(environment: NodeJS.ProcessEnv): Promise<Standpoint> {
  try {
    const config = await readConfig(directories(environment, systemHome).config)
    return resolveSettings({flags: {}, env: environment, config})
  } catch (error) {
    return {problem: (error as Error).message}
  }
}
