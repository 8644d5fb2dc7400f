import {Args} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import type {AccountData} from '#lib/service/store/delete-user.js'

export default verb({
  summary: 'Delete a user of the local service with their files and tokens.',
  description:
    "Permanently deletes the user's tokens and permissions, all files that the user owns (also in folders of other users), and shared drives without other members. Files of other users in the user's folders move to their owner's My Drive. Requires --yes when not running in a terminal.",
  examples: [['Delete a user without confirmation', 'local user delete ada --yes']],
  args: {
    login: Args.string({description: 'Login of the user.', required: true, ignoreStdin: true}),
  },
  flags: {...dataFlag, yes: yesFlag},
  effect: 'destroys',
  async run({args, flags}, context, printer) {
    if (!flags.yes && !context.options.dryRun && !context.io.interactive) {
      throw new UsageError(
        'Deleting a user needs confirmation, but drv cannot prompt: not running in a terminal.',
        'Pass --yes to confirm.',
      )
    }
    const {deleteUser, accountDataOf} = await import('#lib/service/store/delete-user.js')
    const store = await openData(flags.data, context)
    const user = await knownUser(store, args.login)
    const estate = accountDataOf(store, user, context.now())
    refuseOrphans(user.login, estate.orphans)
    const what = `the user ${user.login}${withEstate(estate)}`
    if (await printer.preview('delete', what)) return
    if (!flags.yes) await confirm(`Permanently delete ${what}?`, context.io, context.signal)
    refuseOrphans(user.login, deleteUser(store, user, context.now()))
    context.note(`Deleted ${what}.`)
    if (printer.isStructured) await printer.record({})
  },
})

function withEstate({items, bytes, drives}: AccountData): string {
  const named = drives.map(({name}) => JSON.stringify(name)).join(', ')
  const parts = [
    ...(items > 0 ? [`${count(items, 'item')} (${sizeText(bytes)})`] : []),
    ...(drives.length > 0 ? [`the shared drive${drives.length > 1 ? 's' : ''} ${named}`] : []),
  ]
  return parts.length > 0 ? ` with ${parts.join(' and ')}` : ''
}

function refuseOrphans(login: string, orphans: AccountData['orphans']): void {
  const [drive] = orphans
  if (!drive) return
  const names = orphans.map(({name, id}) => `${JSON.stringify(name)} (${id})`).join(', ')
  throw new CommandError(
    'conflict',
    `Cannot delete ${login}: they are the only organizer of shared drives with other members: ${names}.`,
    `Add another organizer first, with a token of ${login}: \`drv permissions insert ${drive.id} --type user --value EMAIL --role organizer\`.`,
  )
}
