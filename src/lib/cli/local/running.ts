import {CommandError} from '#lib/cli/terminal/errors.js'
import {systemSentence} from '#lib/platform/system-errors.js'
import type {RunningService} from '#lib/service/control/running.js'

/** The services that run on a data directory, for commands that control them. */

/** Returns the services. Throws `CommandError` if none is running. */
export async function requireRunning(data: string): Promise<readonly RunningService[]> {
  const {runningServices} = await import('#lib/service/control/running.js')
  const services = runningServices(data)
  if (services.length > 0) return services
  throw new CommandError(
    'unavailable',
    `No local service is running with data in ${data}.`,
    'Start one with `drv local serve`, and pass the same --data to both commands.',
  )
}

/** Sends a command to a service. Throws `CommandError` if it refuses, or cannot be reached. */
export async function control(
  service: RunningService,
  command: string,
  values?: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const [{sendControl}, {ControlError}] = await Promise.all([
    import('#lib/service/control/send.js'),
    import('#lib/service/control/protocol.js'),
  ])
  try {
    return await sendControl(service, command, values)
  } catch (error) {
    if (error instanceof ControlError) throw new CommandError('conflict', error.message)
    throw new CommandError(
      'unavailable',
      `The local service at ${service.url} does not respond: ${systemSentence(error ?? {}) ?? 'unknown error'}.`,
      'Restart it.',
    )
  }
}

/** Returns the time in Unix ms for changes of the data: that of the service that runs on it, else `now`. */
export async function timeOfService(data: string, now: () => number): Promise<number> {
  const {runningServices} = await import('#lib/service/control/running.js')
  const [service] = runningServices(data)
  if (!service) return now()
  const {now: time} = await control(service, 'clock').catch(() => ({now: undefined}))
  return typeof time === 'number' ? time : now()
}
