import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {askBeforeDestroying} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import type {PartialInput, MissingInput} from '#lib/cli/input/missing-inputs.js'
import {roleNamed, type Who} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import {yes} from '#lib/cli/run/operation-command.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {momentIn, TIME_HINT} from '#lib/cli/terminal/moment.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import {
  changeAccess,
  countWords,
  namedOnLine,
  readPairs,
  sharingArgs,
  sharingFlags,
} from '#lib/cli/verbs/sharing/change-access.js'
import {CHANGE_COLUMNS, sharingSteps} from '#lib/cli/verbs/sharing/plan.js'
import {publicLinks} from '#lib/cli/verbs/sharing/public-links.js'
import {
  ACCESS_COLUMNS,
  accessRows,
  createOrigins,
  lookAt,
  ROLE_WORDS,
} from '#lib/cli/verbs/sharing/read-access.js'
import {reportAccess} from '#lib/cli/verbs/sharing/report.js'

const WHO: MissingInput = {
  in: 'args',
  name: 'words',
  message: 'Who (an e-mail address, @example.com or anyone)',
  kind: 'who',
}
const FILE: MissingInput = {in: 'args', name: 'words', message: 'Share', kind: 'file'}
const ROLE: MissingInput = {
  in: 'flags',
  name: 'role',
  message: 'Role',
  kind: 'text',
  options: ['reader', 'commenter', 'writer'],
}

export default verb({
  everyDay: 11,
  summary: 'Share files with people, or show who has access.',
  description: [
    'Each file is shared with everybody who is named: an e-mail address, @example.com for a whole domain, or anyone, which is whoever has the link. Who has access already gets the role in its place, a stronger or a weaker one.',
    'With files alone it shows who has access, role by role, and how they got it: direct, by a link, inherited from a folder, or as members of a shared drive.',
  ].join('\n\n'),
  usage: 'share FILE... [WHO...] [FLAGS]',
  examples: [
    ['Let somebody read a file', 'share /Reports/q3.pdf ada@example.com'],
    [
      'Let two people write to a folder, without a mail',
      'share /Reports ada@example.com ben@example.com --role writer --no-notify',
    ],
    ['Let everybody with the link read it', 'share /Reports/q3.pdf --public'],
    ['See who has access to a folder and everything in it', 'share -R /Reports --format csv'],
    ['Share what a table says: file,who,role', 'share --from team.csv'],
  ],
  args: sharingArgs,
  flags: {
    role: ranked(
      11,
      Flags.string({
        summary:
          'Role to give, reader by default; viewer is reader, editor is writer, owner hands over.',
        options: [...ROLE_WORDS],
      }),
    ),
    public: ranked(
      12,
      Flags.boolean({
        summary: 'Share with everybody who has the link, and print the link.',
        aliases: ['anyone'],
      }),
    ),
    expires: ranked(
      13,
      Flags.string({
        summary: 'When the access ends: 30d, 3mo, a date. For people and groups.',
        helpValue: 'TIME',
      }),
    ),
    recursive: ranked(
      14,
      Flags.boolean({
        char: 'R',
        summary: 'Show who has access to everything below the folders, too.',
      }),
    ),
    report: ranked(
      15,
      Flags.boolean({summary: 'The same, of all of My Drive where no file is named.'}),
    ),
    yes,
    group: Flags.boolean({summary: 'The addresses are those of groups.'}),
    notify: Flags.boolean({
      summary: 'Have a mail sent to whoever gets access (on unless turned off).',
      allowNo: true,
    }),
    message: Flags.string({summary: 'Your own words in that mail.', helpValue: 'TEXT'}),
    ...sharingFlags,
  },
  effect: 'may destroy',
  columns: [...new Set([...ACCESS_COLUMNS, ...CHANGE_COLUMNS, 'link'])],
  acceptedScopes: operation('permissions.insert').scopes,
  beforeAsking: context => refuseChanges(context, `\`drv ${context.command}\``),
  /** Files alone are no mistake: they show who has access. */
  missing(given: PartialInput): readonly MissingInput[] {
    const {files, whos: named} = countWords(given)
    const {role, from, public: isPublic, report} = given.flags
    if (report) return []
    const whos = isPublic ? named + 1 : named
    if (from !== undefined || whos + files === 0) {
      return from === undefined ? [FILE, WHO, ...(role === undefined ? [ROLE] : [])] : []
    }
    return [...(files === 0 ? [FILE] : []), ...(whos === 0 && isSharing(given.flags) ? [WHO] : [])]
  },
  async run(given, context, printer) {
    const {from, message, notify, report, recursive, yes: isYes} = given.flags
    const role = given.flags.role === undefined ? undefined : roleNamed(given.flags.role)
    const isGroup = given.flags.group ?? false
    const line = await namedOnLine(given, isGroup, context, {isFileNeeded: !report})
    const named = given.flags.public ? {...line, whos: [...line.whos, ANYONE]} : line
    if (report || (recursive && named.whos.length === 0)) {
      if (named.whos.length > 0 || isSharing(given.flags)) {
        throw new UsageError('--report shows who has access, so it takes files alone.')
      }
      return showReport(named.files.length > 0 ? named.files : ['/'], context, printer)
    }
    if (named.whos.length === 0 && from === undefined) {
      if (!isSharing(given.flags)) return showAccess(named.files, context, printer)
      throw new UsageError('WHO is missing: an e-mail address, @example.com or anyone.')
    }
    if (message !== undefined && notify === false) {
      throw new UsageError('--message goes into the mail, which --no-notify leaves out.')
    }
    await refuseChanges(context, '`drv share`')
    const {pairs, looked} = await readPairs(named, from, isGroup, context)
    const client = await context.client()
    const expires = expirationOf(given.flags.expires, context.now())
    const wish = {role: role ?? 'reader', notify, message, expires}
    const links = await publicLinks(context, pairs, looked)
    const steps = sharingSteps({client, looked, links}, pairs, wish)
    const inputs = steps.flatMap(step => ('call' in step ? [step.call.input] : []))
    if (!context.options.dryRun) {
      await askBeforeDestroying(context, {operation: 'permissions.insert', inputs, isYes})
    }
    await changeAccess(steps, context, printer, links.size > 0 ? ['link'] : [])
  },
})

/** Whether flags say how to share, so that somebody has to be named. */
function isSharing({role, group, notify, message, expires}: PartialInput['flags']): boolean {
  return [role, group, notify, message, expires].some(flag => flag !== undefined)
}

const ANYONE: Who = {word: 'anyone', type: 'anyone'}

/** When access ends (RFC 3339). Throws `UsageError` for what is no time to come. */
function expirationOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const moment = momentIn(text, now, {isAhead: true})
  if (moment !== undefined && moment > now) return new Date(moment).toISOString()
  throw new UsageError(`--expires takes a time to come, not "${text}".`, TIME_HINT)
}

async function showReport(
  files: readonly string[],
  context: Context,
  printer: Printer,
): Promise<void> {
  const {rows, failed} = await reportAccess(context, files)
  await printer.records(rows, ACCESS_COLUMNS, 'access')
  if (failed === 0) return
  throw new CommandError('partial', `${count(failed, 'place')} could not be read.`)
}

async function showAccess(
  files: readonly string[],
  context: Context,
  printer: Printer,
): Promise<void> {
  const found = await lookAt(context, files)
  const client = await context.client()
  const origins = createOrigins(client)
  const rows: Row[] = []
  let failed = 0
  for (const one of found) {
    if ('error' in one) {
      failed += 1
      if (found.length === 1) throw one.error
      const {message} = context.explain(one.error)
      context.io.say(`Failed: ${problemLine(one.file, message)}`)
    } else rows.push(...(await accessRows(client, one, origins)))
  }
  await printer.records(rows, ACCESS_COLUMNS, 'access')
  if (failed === 0) return
  throw new CommandError(
    'partial',
    `Of ${failed} of ${found.length} files it is not known who has access.`,
  )
}
