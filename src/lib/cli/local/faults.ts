import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readLocalText} from '#lib/cli/terminal/io.js'

/** The flag by which the local service is told what is to go wrong. */
export const faultsFlag = {
  faults: Flags.string({
    summary: 'What is to go wrong, to test programs with: JSON, or a file that holds it.',
    description: `{"seed": 1, "rules": [RULE, ...]}; the first RULE that strikes a call counts. In a RULE:
operations: "files.get", a list of such names, or "*" for all. "batch" is a name, too, and so is "refresh" (of a token), which "*" does not include.
via: only calls of this kind: plain, upload, chunk (of an upload session) or download.
Which of these calls: probability 0 to 1, every N, first N, or calls [N, ...]; else all of them. The same seed and the same calls in the same order meet the same faults.
fault: one of
  status: an error answer: status, reason, retryAfter (seconds), body (json, html, none).
  reset: the connection breaks: at (request, response), after N bytes of it.
  slow: bytesPerSecond, at (request, response).
  truncate: the answer ends after N bytes as if that were all.
  lose: the work is done, the answer never comes; the connection is held for "hold" seconds.
  token-expire: the token of the call expires; its refresh token does not.
  refresh-lost: a refresh is carried out, but its answer is lost; takes no operations, "hold" as for lose.
  rateLimit: perSecond N, status (429, 403), reason.`,
    helpValue: 'FILE|JSON',
  }),
}

/** The faults that `--faults` names: JSON, or a file of it. Throws `UsageError`. */
export async function faultsOf(flag: string | undefined, context: Pick<Context, 'waits'>) {
  if (flag === undefined) return undefined
  const {FaultPlanError, readFaultPlan} = await import('#lib/service/faults/read.js')
  const isJson = flag.trimStart().startsWith('{')
  const text = isJson ? flag : await faultsIn(flag, context)
  try {
    return readFaultPlan(text)
  } catch (error) {
    const hint = 'See `drv local serve --help` for what --faults takes.'
    if (error instanceof FaultPlanError) throw new UsageError(`--faults: ${error.message}`, hint)
    throw error
  }
}

async function faultsIn(path: string, context: Pick<Context, 'waits'>): Promise<string> {
  if (path === '') throw new UsageError('--faults must not be empty.')
  return readLocalText(path, context).catch((error: unknown) => {
    throw unreadable(`the faults from ${path}`, error)
  })
}
