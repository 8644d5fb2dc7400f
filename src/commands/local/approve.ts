import {Args, Flags} from '@oclif/core'
import {shortScope} from '#lib/api/description/scopes.js'
import type {Context} from '#lib/cli/context/context.js'
import {activeUsers, chooseUser, findCode} from '#lib/cli/context/device-code.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

const COLUMNS = ['app', 'user', 'approved', 'scopes']

export default verb({
  summary: 'Approve the codes of sign-ins at the local service, without a browser.',
  description:
    'A code is the one that `drv auth login` or another program shows while it waits. Run it on the machine and with the data directory of `drv local serve`. With several users and no --as, a terminal asks who approves.',
  usage: 'local approve CODE... [--as LOGIN] [--deny] [--data DIR]',
  examples: [
    ['Approve a sign-in as one of the users', 'local approve "$CODE" --as ada'],
    ['Refuse a sign-in', 'local approve "$CODE" --deny'],
  ],
  args: {
    code: Args.string({
      description: 'Codes of sign-ins, such as BCDF-3467.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    as: Flags.string({
      summary: 'User who approves; needed if there are several and drv cannot ask.',
      helpValue: 'LOGIN',
    }),
    deny: Flags.boolean({summary: 'Refuse the sign-in instead.'}),
  },
  effect: 'changes',
  columns: COLUMNS,
  async run({words, flags}, context, printer) {
    const store = await openData(flags.data, context)
    const given = [...new Set(words)]
    // None is decided while another is wrong.
    const codes = await Promise.all(given.map(word => findCode(store, word, context.now())))
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

/** The user that `--as` names, else the only one, else one chosen at the terminal. Throws `UsageError` where drv cannot ask. */
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
    'The local service has several users, and drv cannot ask who approves.',
    `Pass --as with one of them: ${users.map(user => user.login).join(', ')}.`,
  )
}
