import {dataDirectory, dataFlag} from '#lib/cli/context/local-service.js'
import {noPromptReason} from '#lib/cli/guard/confirm-destroying.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {sizeText} from '#lib/cli/terminal/units.js'

export default verb({
  summary: 'Delete all data of the local service: users, files, apps and tokens.',
  description:
    'Empties the data directory, so that the service starts without data. Refuses a directory that drv has not created, and one that a running service uses. Files of other programs in the directory stay, and so does a seed file: pass it to `drv local serve --seed` to make the same data again. Requires --yes when not running in a terminal.',
  examples: [['Empty a data directory without confirmation', 'local reset --data copy --yes']],
  flags: {...dataFlag, yes: yesFlag},
  effect: 'destroys',
  async run({flags}, context, printer) {
    const {environment, options, io, note, signal} = context
    if (!flags.yes && !options.dryRun && !io.interactive) {
      throw new UsageError(
        `Deleting all data needs confirmation, but ${noPromptReason(io)}.`,
        'Pass --yes to confirm.',
      )
    }
    const data = dataDirectory(flags.data, environment)
    const [{emptyDirectory, resettable, totalSizeOf}, {runningServices}] = await Promise.all([
      import('#lib/service/store/database/reset.js'),
      import('#lib/service/control/running.js'),
    ])
    const names = resettable(data)
    const [running] = runningServices(data)
    if (running) {
      throw new CommandError(
        'conflict',
        `Cannot delete the data in ${data}: the local service at ${running.url} is using it.`,
        'Stop the service first.',
      )
    }
    const what = `all data in ${data} (${sizeText(totalSizeOf(data, names))})`
    if (await printer.preview('delete', what)) return
    if (names.length > 0) {
      if (!flags.yes) await confirm(`Permanently delete ${what}?`, io, signal)
      emptyDirectory(data, names)
    }
    note(names.length > 0 ? `Deleted ${what}.` : `${data} is already empty.`)
    if (printer.isStructured) await printer.record({})
  },
})
