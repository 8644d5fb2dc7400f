import {Args, Flags} from '@oclif/core'
import {shortScope} from '#lib/api/description/scopes.js'
import type {Context} from '#lib/cli/context/context.js'
import {activeUsers, chooseUser, findUserCode, type OpenCode} from '#lib/cli/context/device-code.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {timeOfService} from '#lib/cli/local/running.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {SsoSubject} from '#lib/service/oauth/flows/sso.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

const COLUMNS = ['app', 'organization', 'user', 'approved', 'scopes']

export default verb({
  summary: 'Approve sign-in codes of the local service without a browser.',
  description:
    '`drv auth login` or another program shows a code and waits for its approval. For single sign-on, pass the URL from the header X-Service-SSO instead; this authorizes the token for the organization. Run this command on the machine where `drv local serve` runs, with the same data directory. If the service has several users, --as selects one; without --as, drv prompts at a terminal.',
  usage: 'local approve CODE... [--as LOGIN] [--deny] [--data DIR]',
  examples: [
    ['Approve a sign-in as one of the users', 'local approve "$CODE" --as ada'],
    ['Deny a sign-in', 'local approve "$CODE" --deny'],
  ],
  args: {
    code: Args.string({
      description: 'Sign-in codes, such as BCDF-3467, or URLs for single sign-on.',
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
    const now = await timeOfService(store.directory, context.now)
    // An invalid code throws before any code is decided.
    const requests = await Promise.all(
      [...new Set(words)].map(word =>
        word.includes('/') ? findSsoRequest(store, word, now) : findUserCode(store, word, now),
      ),
    )
    const hasCodes = requests.some(request => 'app' in request)
    const user = hasCodes ? await decidingUser(store, flags, context) : undefined
    const decisions = requests.map(request =>
      'app' in request
        ? decisionOnCode(request, user!, flags.deny)
        : decisionOnSso(request, flags.deny),
    )
    const action = flags.deny ? 'deny' : 'approve'
    if (await printer.preview(action, ...decisions.map(({subject}) => subject))) return
    for (const {decide} of decisions) decide()
    const rows = decisions.map(({row}) => row)
    if (printer.format !== 'table') {
      return rows.length === 1 ? printer.record(rows[0]!) : printer.records(rows, COLUMNS)
    }
    for (const {sentence} of decisions) context.note(sentence)
  },
})

/** A decision, with its texts. */
interface Decision {
  readonly subject: string
  readonly row: Readonly<Record<string, unknown>>
  readonly sentence: string
  decide(): void
}

function decisionOnCode(code: OpenCode, user: User, isDenied: boolean): Decision {
  const app = code.app.name
  const scopes = code.scopes.map(shortScope)
  return {
    subject: `sign-in of ${app} as ${user.login}`,
    row: {app, user: user.login, approved: !isDenied, scopes},
    sentence: isDenied
      ? `Denied the sign-in of ${app}.`
      : `Approved the sign-in of ${app} as ${user.login} (${scopes.join(', ') || 'no scopes'}).`,
    decide: () => code.decide(isDenied ? 'denied' : 'authorized', user),
  }
}

/** Nothing records that single sign-on was denied: the token stays as it is. */
function decisionOnSso({organization, user, authorize}: SsoSubject, isDenied: boolean): Decision {
  return {
    subject: `single sign-on of ${user} to ${organization}`,
    row: {organization, user, approved: !isDenied},
    sentence: isDenied
      ? `Denied the single sign-on of ${user} to ${organization}.`
      : `Authorized the token of ${user} for ${organization}.`,
    decide: isDenied ? () => undefined : authorize,
  }
}

/** Finds the token behind a URL for single sign-on. Throws `CommandError` for an unknown or expired URL. */
async function findSsoRequest(store: Store, url: string, now: number): Promise<SsoSubject> {
  const {ssoSubject} = await import('#lib/service/oauth/flows/sso.js')
  const subject = ssoSubject(store, url, now)
  if (subject) return subject
  throw new CommandError(
    'notFound',
    'The URL for single sign-on is unknown or has expired.',
    'Repeat the API request to get a new URL, and pass the same --data as to `drv local serve`.',
  )
}

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
