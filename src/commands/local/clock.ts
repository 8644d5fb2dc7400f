import {Args} from '@oclif/core'
import {targetTime} from '#lib/api/moment.js'
import {dataDirectory, dataFlag} from '#lib/cli/context/local-service.js'
import {control, requireRunning} from '#lib/cli/local/running.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {RunningService} from '#lib/service/control/running.js'

const COLUMNS = ['url', 'time']

export default verb({
  summary: 'Show the clock of the running local service, or move it forward.',
  description:
    'Expires codes, tokens, channels and upload sessions that end before the new time, resets rate limits, and sends due notifications. The clock cannot move back; to start earlier, restart `drv local serve` with --clock. Other users of this machine cannot move it.',
  usage: 'local clock [OFFSET|TIME|real] [--data DIR]',
  examples: [
    ['Let 15-minute codes expire', 'local clock +16m'],
    ['Show the time of the service', 'local clock'],
  ],
  args: {
    time: Args.string({
      description:
        'Offset such as +16m (s, m, h, d, w), a later time, or `real` to move forward to the time of this machine (default: show the clock).',
      ignoreStdin: true,
    }),
  },
  flags: dataFlag,
  effect: 'changes',
  columns: COLUMNS,
  async run({args, flags}, context, printer) {
    const {time: text} = args
    const isKnown = text === undefined || targetTime(text, context.now()) !== undefined
    if (!isKnown) throw invalidTime(text)
    const services = await requireRunning(dataDirectory(flags.data, context.environment))
    if (text !== undefined) {
      const clocks = services.map(({url}) => `clock of ${url} to ${text}`)
      if (await printer.preview('move', ...clocks)) return
    }
    const rows = []
    for (const service of services) {
      const now = text === undefined ? await timeOf(service) : await move(service, text)
      rows.push({url: service.url, time: new Date(now).toISOString()})
    }
    if (rows.length === 1) return printer.record(rows[0]!)
    await printer.records(rows, COLUMNS)
  },
})

async function timeOf(service: RunningService): Promise<number> {
  return Number((await control(service, 'clock')).now)
}

/** Moves the clock of a service and returns its new time in Unix ms. */
async function move(service: RunningService, text: string): Promise<number> {
  const to = targetTime(text, await timeOf(service))
  return Number((await control(service, 'clock', {to})).now)
}

function invalidTime(text: string): UsageError {
  return new UsageError(
    `Invalid time "${text}": expected an offset with a plus sign, a time, or "real".`,
    'Examples: drv local clock +16m, drv local clock 2027-03-01T12:00:00Z, drv local clock real',
  )
}
