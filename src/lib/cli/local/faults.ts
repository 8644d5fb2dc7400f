import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readLocalText} from '#lib/cli/terminal/io.js'

/** The flag that makes the local service simulate failures. */
export const faultsFlag = {
  faults: Flags.string({
    summary:
      'Simulate failures, to test clients: fault rules as JSON, or a file that contains them.',
    description: `{"seed": 1, "rules": [RULE, ...]}; the first RULE that applies to a call is used. Fields of a RULE:
operations: "files.get", a list of such names, or "*" for all. Also "batch", and "refresh" for token refreshes, which "*" does not include.
via: only calls of this kind: plain, upload, chunk (of an upload session) or download.
probability 0 to 1, every N, first N, or calls [N, ...]: which of these calls fail (default: all). The same seed and the same sequence of calls give the same failures.
fault: one of
  status: return an error: status, reason, retryAfter (seconds), body (json, html, none).
  reset: reset the connection: at (request, response), after N bytes.
  slow: limit the speed: bytesPerSecond, at (request, response).
  truncate: end the response after N bytes as if it were complete.
  lose: run the operation, wait "hold" seconds, and reset the connection without a response.
  token-expire: expire the token of the call.
  refresh-lost: use the refresh token, but lose the response; "hold" as for lose; omit "operations".
  rateLimit: limit calls to perSecond N; status (429, 403), reason.`,
    helpValue: 'FILE|JSON',
  }),
}

/** Reads the fault plan of `--faults`, JSON or the path of a JSON file. Throws `UsageError` for an invalid plan. */
export async function faultsOf(flag: string | undefined, context: Pick<Context, 'waits'>) {
  if (flag === undefined) return undefined
  const {FaultPlanError, readFaultPlan} = await import('#lib/service/faults/read.js')
  const isJson = flag.trimStart().startsWith('{')
  const text = isJson ? flag : await faultsIn(flag, context)
  try {
    return readFaultPlan(text)
  } catch (error) {
    const hint = 'Run `drv local serve --help-all` to see the format of --faults.'
    if (error instanceof FaultPlanError)
      throw new UsageError(`Invalid --faults: ${error.message}`, hint)
    throw error
  }
}

async function faultsIn(path: string, context: Pick<Context, 'waits'>): Promise<string> {
  if (path === '') throw new UsageError('Invalid --faults: must not be empty.')
  return readLocalText(path, context).catch((error: unknown) => {
    throw unreadableFileError(`the faults from ${path}`, error)
  })
}
