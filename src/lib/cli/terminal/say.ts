import {harmless, hideSecrets} from '#lib/platform/sanitize.js'
import {wrapText} from './wrap-text.js'

/** Environment variables that hold secrets. */
const SECRETS = ['DRV_TOKEN', 'DRV_CLIENT_SECRET'] as const

/**
 * Copies the environment and removes the secrets from the live one, which child processes inherit and
 * Node writes into crash reports.
 */
export function takeEnvironment(live: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const taken = {...live}
  for (const name of SECRETS) delete live[name]
  return taken
}

/** Replaces secrets of the environment in a text. */
export function withoutSecrets(text: string, environment: NodeJS.ProcessEnv): string {
  const secrets = SECRETS.map(name => environment[name]?.trim() ?? '')
  return hideSecrets(text, secrets, '(secret)')
}

/** Writes lines for people to standard error. */
export type Say = (text: string) => void

/**
 * Creates the only function that writes text to standard error. It removes control characters (names and
 * messages can come from a service) and secrets, and wraps lines at a terminal. Bars and prompts write
 * directly and clean their own text.
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
