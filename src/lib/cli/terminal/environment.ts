import {hideSecrets} from '#lib/platform/sanitize.js'

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
