import {runInNewContext} from 'node:vm'

/**
 * Runs a script with the given values as globals and returns its result; `undefined` on a timeout. It
 * exists for regular expressions, which can run practically forever on forty characters and block
 * everything else, Ctrl-C included. V8 can stop a separate script. Throws what the script throws.
 */
export function runTimed<T>(
  script: string,
  values: Readonly<Record<string, unknown>>,
  milliseconds: number,
): T | undefined {
  try {
    return runInNewContext(script, {...values}, {timeout: milliseconds}) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  }
}
