import {harmless} from '#lib/platform/sanitize.js'
import {withoutSecrets} from './environment.js'

/** Writes lines for people to standard error. */
export type Say = (text: string) => void

/**
 * The one way by which text reaches standard error: names, descriptions and the words of a service in
 * it can neither steer a terminal nor repeat a secret of the environment. Bars and prompts, which
 * steer it themselves, clean what they show.
 */
export function createSay(
  stderr: {write(text: string): unknown},
  environment: NodeJS.ProcessEnv,
): Say {
  return text => void stderr.write(harmless(withoutSecrets(`${text}\n`, environment)))
}
