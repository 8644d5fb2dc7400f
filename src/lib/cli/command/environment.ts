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

/** The text of an error without what the environment keeps secret, whoever repeats it there. */
export function withoutSecrets(text: string, environment: NodeJS.ProcessEnv): string {
  return (
    SECRETS.map(name => environment[name]?.trim() ?? '')
      // Shorter ones are no secrets, and would tear holes into words.
      .filter(secret => secret.length >= 8)
      .reduce((shown, secret) => shown.replaceAll(secret, '(secret)'), text)
  )
}
