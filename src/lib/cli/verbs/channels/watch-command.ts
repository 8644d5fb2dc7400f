import {operation} from '#lib/api/operations.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {channelDefaults, requiredWithout} from '#lib/cli/input/shared-flags.js'
import {asVerb, operationVerb} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import type {Example} from '#lib/cli/run/verb-description.js'
import {listenFlags, listenTargetOf} from './listen-flags.js'
import {NOTIFICATION_COLUMNS} from './notification-rows.js'

const MORE =
  'By default, the channel ID is a new UUID and the type is web_hook. With --listen, drv receives the notifications itself and prints them until you stop the command: it opens a channel with a secret token, renews the channel before it expires, and stops the channel when the command ends. Requests without that token get 404. Ctrl-C ends the command with exit code 130, SIGTERM with 0.'

/** The command of an operation that opens a channel; with `--listen`, it receives the notifications. */
export function watchCommand(id: 'changes.watch' | 'files.watch', examples: readonly Example[]) {
  const described = operationVerb(operation(id), examples, {
    more: MORE,
    defaults: channelDefaults,
    flags: listenFlags,
    bareFlag: 'listen',
  })
  const standard = asVerb(described)
  const {columns} = standard
  return verb({
    ...standard,
    flags: requiredWithout('listen', 'address', described.flags),
    columns(flags, options) {
      if (flags.listen !== undefined) return NOTIFICATION_COLUMNS
      return typeof columns === 'function' ? columns(flags, options) : columns
    },
    missing: given => (given.flags.listen === undefined ? (standard.missing?.(given) ?? []) : []),
    async run(line, context, printer) {
      const target = listenTargetOf(line.flags)
      if (!target) return standard.run(line, context, printer)
      const {printNotifications} = await import('./print-notifications.js')
      const given: Parsed = {args: line.args, flags: line.flags}
      await printNotifications(described, given, target, {context, printer, argv: line.argv})
    },
  })
}
