import {Args, Flags} from '@oclif/core'
import {shortScope} from '#lib/api/description/scopes.js'
import type {Context} from '#lib/cli/context/context.js'
import {activeUsers, chooseUser, findUserCode} from '#lib/cli/context/device-code.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

const COLUMNS = ['app', 'user', 'approved', 'scopes']

export default verb({
  summary: 'Approve sign-in codes of the local service without a browser.',
  description:
    '`drv auth login` or another program shows a code and waits for its approval. Run this command on the machine where `drv local serve` runs, with the same data directory. If the service has several users, --as selects one; without --as, drv prompts at a terminal.',
  usage: 'local approve CODE... [--as LOGIN] [--deny] [--data DIR]',
  examples: [
    ['Approve a sign-in as one of the users', 'local approve "$CODE" --as ada'],
    ['Deny a sign-in', 'local approve "$CODE" --deny'],
  ],
  args: {
    code: Args.string({
      description: 'Sign-in codes, such as BCDF-3467.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    as: Flags.string({
      summary: 'User who approves (default: the only user, or a prompt).',
      helpValue: 'LOGIN',
    }),
    deny: Flags.boolean({summary: 'Deny the sign-in instead.'}),
  },
  effect: 'changes',
  columns: COLUMNS,
  async run({words, flags}, context, printer) {
    const store = await openData(flags.data, context)
    // An invalid code throws before any code is decided.
    const codes = await Promise.all(
      [...new Set(words)].map(word => findUserCode(store, word, context.now())),
    )
    const user = await decidingUser(store, flags, context)
    const action = flags.deny ? 'deny' : 'approve'
    const signIns = codes.map(({app}) => `sign-in of ${app.name} as ${user.login}`)
    if (await printer.preview(action, ...signIns)) return
    const rows = codes.map(code => {
      code.decide(flags.deny ? 'denied' : 'authorized', user)
      const scopes = code.scopes.map(shortScope)
      return {app: code.app.name, user: user.login, approved: !flags.deny, scopes}
    })
    if (printer.format !== 'table') {
      return rows.length === 1 ? printer.record(rows[0]!) : printer.records(rows, COLUMNS)
    }
    for (const {app, scopes} of rows) {
      context.note(
        flags.deny
          ? `Denied the sign-in of ${app}.`
          : `Approved the sign-in of ${app} as ${user.login} (${scopes.join(', ') || 'no scopes'}).`,
      )
    }
  },
})

/**
 * Returns the user named by `--as`, else the only user, else one chosen at the terminal. Throws
 * `UsageError` when drv cannot prompt, and `CommandError` for an unknown or suspended user.
 */
async function decidingUser(
  store: Store,
  {as: login, deny}: {readonly as?: string; readonly deny: boolean},
  context: Context,
): Promise<User> {
  if (login !== undefined) {
    const user = await knownUser(store, login)
    if (!user.suspended) return user
    throw new CommandError(
      'conflict',
      `The user ${user.login} is suspended.`,
      `Run \`drv local user suspend ${user.login} --undo\` first.`,
    )
  }
  const users = await activeUsers(store)
  if (deny || users.length === 1) return users[0]
  if (context.io.interactive) return chooseUser('Approve as', users, context)
  throw new UsageError(
    'The local service has several users, but drv cannot prompt for one: not running in a terminal.',
    `Pass --as with one of: ${users.map(user => user.login).join(', ')}.`,
  )
}
