import {operation} from '#lib/api/operations.js'
import {verb} from '#lib/cli/run/verb.js'
import {listenFlags} from '#lib/cli/verbs/channels/listen-flags.js'
import {listeningOf} from '#lib/cli/verbs/channels/listener.js'
import {followArgs, followFlags} from '#lib/cli/verbs/follow/flags.js'
import {follow} from '#lib/cli/verbs/follow/follow.js'
import {FOLLOW_COLUMNS, streamedTable} from '#lib/cli/verbs/follow/rows.js'

export default verb({
  aliases: ['watch', 'monitor', 'changes follow'],
  summary: 'Print changes as they happen, or run a command for each.',
  description:
    'Prints a line per change until it is stopped: time, kind, path, who and size. drv derives the kind by comparing an item with its last known state; the kind of an unknown item is "changed". With PATH, all items in it are known from the start; paths can be in several drives. Several changes to an item between two requests are printed as one, with all kinds, such as "moved,renamed". drv polls 2 s after a change, then at intervals of up to 60 s; with --listen, the service notifies drv at once. With --resume, each change is delivered at least once: progress is recorded after a line is written or COMMAND exits with 0. Ctrl-C ends drv with exit code 130, SIGTERM with 0.',
  usage: 'follow [PATH...] [FLAGS]',
  examples: [
    ['Print the changes in a folder', 'follow /Reports'],
    ['Print the changes since the last run', 'follow --once --resume'],
    ['Run a command for each new file', "follow /Reports --kind created --exec 'echo New: {}'"],
    ['Receive notifications of changes, and poll less often', 'follow /Reports --listen'],
    ['Write changes as JSON, one per line', 'follow --since today --once --format ndjson'],
  ],
  args: followArgs,
  flags: {...followFlags, ...listenFlags},
  bareFlag: 'listen',
  effect: 'reads',
  columns: FOLLOW_COLUMNS,
  acceptedScopes: operation('changes.list').scopes,
  printing: (_, {options}) => ({
    isPaged: false,
    adapt: output => (output.isForPeople && !options.columns ? streamedTable(output) : output),
  }),
  run: (input, context, printer) =>
    follow(input, context, printer, listeningOf(input.flags, context)),
})
