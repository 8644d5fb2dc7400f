import type {Context} from '#lib/cli/context/context.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError, exitWith} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {createRowStream} from '#lib/cli/verbs/follow/row-stream.js'
import type {RunningService} from '#lib/service/control/running.js'
import type {RequestEntry} from '#lib/service/request-log/request-log.js'
import {REQUEST_COLUMNS, requestRow, type RequestTest} from './request-rows.js'
import {control} from './running.js'

/** Milliseconds between two looks at the log. */
const PAUSE = 250

interface LogOptions {
  readonly isShown: RequestTest
  /** Continues until a signal, or until a service has stopped. */
  readonly isFollowing: boolean
}

/** The log of a service, read page by page. */
interface Reading {
  readonly service: RunningService
  position: number
}

/** Prints the requests of services. Those of several services are in the order of time. */
export async function showRequests(
  services: readonly RunningService[],
  {isShown, isFollowing}: LogOptions,
  context: Context,
  printer: Printer,
): Promise<void> {
  const readings = services.map((service): Reading => ({service, position: 0}))
  const newRows = async (read: readonly Reading[]) =>
    (await Promise.all(read.map(newEntries)))
      .flatMap((entries, at) => entries.map(entry => ({entry, of: read[at]!})))
      .filter(({entry}) => isShown(entry))
      .sort((one, other) => one.entry.time - other.entry.time)
      .map(({entry, of}) => requestRow(entry, services.length > 1 ? of.service.url : undefined))
  if (!isFollowing) {
    const rows = await newRows(readings)
    if (rows.length === 0) context.note('No requests.')
    return printer.records(rows, REQUEST_COLUMNS)
  }

  let stopped: NodeJS.Signals | undefined
  const stopping = new AbortController()
  context.onSignal(name => {
    stopped ??= name
    stopping.abort()
  })
  const stream = createRowStream(printer, REQUEST_COLUMNS)
  context.note('Following requests. Press Ctrl-C to stop.')
  try {
    while (!stopped) {
      for (const row of await newRows(readings)) await stream.print(row)
      await context.sleep(PAUSE, stopping.signal)
    }
  } catch (error) {
    if (!(error instanceof CommandError && error.exit === 'unavailable')) throw error
    context.note('The local service has stopped.')
  }
  await stream.end()
  if (stopped) exitWith(stopped === 'SIGINT' ? exitCodes.interrupted : exitCodes.done)
}

/** The entries that were added since the last call. Throws `CommandError` if the service has stopped. */
async function newEntries(reading: Reading): Promise<readonly RequestEntry[]> {
  const found: RequestEntry[] = []
  for (;;) {
    const {entries, position} = await control(reading.service, 'log', {after: reading.position})
    const page = entries as readonly RequestEntry[]
    reading.position = Number(position)
    found.push(...page)
    if (page.length === 0) return found
  }
}
