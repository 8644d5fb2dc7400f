import {writeFile} from 'node:fs/promises'
import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readLocalText} from '#lib/cli/terminal/io.js'
import {count} from '#lib/cli/terminal/units.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {RequestLog} from '#lib/service/request-log/request-log.js'
import {
  ExpectationError,
  type ExpectedRequests,
  readExpectations,
  requestDifferences,
  requestReport,
} from './request-report.js'

/** The flags of `drv local run` about the requests of the command. */
export const reportFlags = {
  report: Flags.string({
    summary: 'Write a JSON report to FILE: requests by operation, refusals and changes.',
    helpValue: 'FILE',
  }),
  expect: Flags.string({
    summary: 'Exit with code 1 if operations are missing, unexpected or refused, compared to FILE.',
    description:
      'FILE is JSON: {"operations": {"files.insert": 2, "files.list": {"min": 1, "max": 5, "refused": 1}}}. A number is exact; other operations must not be called. "refused" is the maximum number of refused calls (default: 0).',
    helpValue: 'FILE',
  }),
}

/** Reads the file of `--expect`. Throws `UsageError` if it is not valid. */
export async function expectationsOf(
  path: string | undefined,
  context: Pick<Context, 'waits'>,
): Promise<ExpectedRequests | undefined> {
  if (path === undefined) return undefined
  if (path === '') throw new UsageError('Invalid --expect: must not be empty.')
  const text = await readLocalText(path, context).catch((error: unknown) => {
    throw unreadableFileError(`the expected requests from ${path}`, error)
  })
  try {
    return readExpectations(text)
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error
    throw new UsageError(`Invalid --expect ${path}: ${error.message}`)
  }
}

/** Writes the report. Throws `CommandError` if the file cannot be written. */
export async function writeReport(path: string, requestLog: RequestLog): Promise<void> {
  const {entries, position} = requestLog.after(0)
  const text = `${JSON.stringify(requestReport(entries, position), undefined, 2)}\n`
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError('failed', `Cannot write the report to ${path}: ${reasonOf(error)}.`)
  })
}

/** Returns an error with a sentence per difference; `undefined` if the requests are as expected. */
export function expectationFailure(
  requestLog: RequestLog,
  expected: ExpectedRequests,
): CommandError | undefined {
  const {entries, position} = requestLog.after(0)
  const differences = [...requestDifferences(entries, expected)]
  if (position > entries.length) {
    differences.push(`Only the last ${entries.length} of ${position} requests were recorded.`)
  }
  if (differences.length === 0) return undefined
  const words = `The requests differ from --expect: ${count(differences.length, 'difference')}.`
  return new CommandError('failed', words, undefined, differences)
}
