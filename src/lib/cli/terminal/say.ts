import {harmless, hideSecrets} from '#lib/platform/sanitize.js'
import {wrapText} from './wrap-text.js'

/** Variables that hold secrets. */
const SECRETS = ['DRV_TOKEN', 'DRV_CLIENT_SECRET'] as const

/**
 * A copy of the environment, after which the secrets are in nobody else's: what drv starts inherits
 * the live one, and Node writes it into the report of a crash.
 */
export function takeEnvironment(live: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const taken = {...live}
  for (const name of SECRETS) delete live[name]
  return taken
}

/** Text for standard error without what the environment keeps secret, whoever repeats it there. */
export function withoutSecrets(text: string, environment: NodeJS.ProcessEnv): string {
  const secrets = SECRETS.map(name => environment[name]?.trim() ?? '')
  return hideSecrets(text, secrets, '(secret)')
}

/** Writes lines for people to standard error. */
export type Say = (text: string) => void

/**
 * The one way by which text reaches standard error: names, descriptions and the words of a service in
 * it can neither steer a terminal nor repeat a secret of the environment; at a terminal it is broken between words. Bars and prompts, which
 * steer it themselves, clean what they show.
 */
export function createSay(
  stderr: {
    write(text: string): unknown
    readonly isTTY?: boolean
    readonly columns?: number
  },
  environment: NodeJS.ProcessEnv,
): Say {
  return text => {
    const safe = harmless(withoutSecrets(`${text}\n`, environment))
    const {isTTY, columns} = stderr
    stderr.write(isTTY && columns ? wrapText(safe, columns) : safe)
  }
}
