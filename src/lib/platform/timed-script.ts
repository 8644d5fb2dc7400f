import {runInNewContext} from 'node:vm'

/**
 * What a script gives, of the values that it is handed; `undefined` where it takes longer. For regular
 * expressions, which can take for ever on a text of forty letters: V8 ends one on time as a script of its
 * own, where nothing else would be heard meanwhile, Ctrl-C included. Throws what the script throws.
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
