import {Flags} from '@oclif/core'
import {momentIn, TIME_HINT} from '#lib/api/moment.js'
import {operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {confirmDestroying} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {refuseFlags} from '#lib/cli/guard/refused-flags.js'
import type {MissingInput, PartialInput} from '#lib/cli/input/missing-inputs.js'
import {type Grantee, roleNamed} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import {
  changeAccess,
  countFilesAndPeople,
  readFilesAndPeople,
  readPairs,
  sharingArgs,
  sharingFlags,
} from '#lib/cli/verbs/sharing/change-access.js'
import {permissionIdsOf} from '#lib/cli/verbs/sharing/expiring-access.js'
import {CHANGE_COLUMNS, sharingSteps} from '#lib/cli/verbs/sharing/plan.js'
import {publicLinks} from '#lib/cli/verbs/sharing/public-links.js'
import {
  ACCESS_COLUMNS,
  accessRows,
  createOrigins,
  readAccess,
  ROLE_WORDS,
} from '#lib/cli/verbs/sharing/read-access.js'
import {reportAccess} from '#lib/cli/verbs/sharing/report.js'

const WHO: MissingInput = {
  in: 'args',
  name: 'words',
  message: 'Share with (email address, @example.com or anyone)',
  kind: 'who',
}
const FILE: MissingInput = {in: 'args', name: 'words', message: 'File to share', kind: 'file'}
const ROLE: MissingInput = {
  in: 'flags',
  name: 'role',
  message: 'Role',
  kind: 'text',
  options: ['reader', 'commenter', 'writer'],
}

export default verb({
  everyDay: 11,
  summary: 'Share files and folders, or show who has access.',
  description: [
    'Shares each FILE with each WHO: an email address, @example.com for a whole domain, or anyone (everyone who has the link). If WHO already has access, the new role replaces the old one, even if it is lower.',
    'Without WHO, shows who has access, with which role, and how: direct, by link, inherited from a folder, or as a member of a shared drive.',
  ].join('\n\n'),
  usage: 'share FILE... [WHO...] [FLAGS]',
  examples: [
    ['Give someone read access to a file', 'share /Reports/q3.pdf ada@example.com'],
    [
      'Give two people write access to a folder, without an email',
      'share /Reports ada@example.com ben@example.com --role writer --no-notify',
    ],
    ['Give read access to anyone who has the link', 'share /Reports/q3.pdf --public'],
    ['Show who has access to a folder and everything in it', 'share -R /Reports --format csv'],
    ['Share files as listed in a CSV file (file,who,role)', 'share --from team.csv'],
  ],
  args: sharingArgs,
  flags: {
    role: ranked(
      11,
      Flags.string({
        summary:
          'Role to grant (default: reader); viewer means reader, editor means writer, owner transfers ownership.',
        options: [...ROLE_WORDS],
      }),
    ),
    public: ranked(
      12,
      Flags.boolean({
        summary: 'Share with anyone who has the link, and print the link.',
        aliases: ['anyone'],
      }),
    ),
    expires: ranked(
      13,
      Flags.string({
        summary: 'End the access of people and groups at this time, such as 30d, 3mo or a date.',
        helpValue: 'TIME',
      }),
    ),
    recursive: ranked(
      14,
      Flags.boolean({
        char: 'R',
        summary: 'Also show who has access to everything in the folders.',
      }),
    ),
    report: ranked(
      15,
      Flags.boolean({summary: 'Same as -R; without FILE, covers all of My Drive.'}),
    ),
    yes: yesFlag,
    group: Flags.boolean({summary: 'Treat the addresses as groups.'}),
    notify: Flags.boolean({
      summary: 'Send an email to each person who gets access (default: on).',
      allowNo: true,
    }),
    message: Flags.string({summary: 'Message to include in the email.', helpValue: 'TEXT'}),
    ...sharingFlags,
  },
  effect: 'may destroy',
  isPlannable: true,
  columns: [...new Set([...ACCESS_COLUMNS, ...CHANGE_COLUMNS, 'link'])],
  acceptedScopes: operation('permissions.insert').scopes,
  beforeAsking: context => refuseChanges(context, `\`drv ${context.command}\``),
  /** WHO is optional: without it, the command shows who has access. */
  missing(input: PartialInput): readonly MissingInput[] {
    const {files, whos: named} = countFilesAndPeople(input)
    const {role, from, public: isPublic, report} = input.flags
    if (report) return []
    const whos = isPublic ? named + 1 : named
    if (from !== undefined || whos + files === 0) {
      return from === undefined ? [FILE, WHO, ...(role === undefined ? [ROLE] : [])] : []
    }
    return [...(files === 0 ? [FILE] : []), ...(whos === 0 && isSharing(input.flags) ? [WHO] : [])]
  },
  async run(input, context, printer) {
    const {from, message, notify, report, recursive, yes: isYes} = input.flags
    const role = input.flags.role === undefined ? undefined : roleNamed(input.flags.role)
    const isGroup = input.flags.group ?? false
    const line = await readFilesAndPeople(input, isGroup, context, {isFileNeeded: !report})
    const named = input.flags.public ? {...line, whos: [...line.whos, ANYONE]} : line
    if (report || (recursive && named.whos.length === 0)) {
      if (named.whos.length > 0 || isSharing(input.flags)) {
        throw new UsageError(
          '--report and --recursive show who has access; they cannot be combined with sharing.',
          'Remove WHO and the flags for sharing.',
        )
      }
      refuseFlags({effect: 'reads', previewsReads: true}, input.flags, 'share --report')
      return showReport(named.files.length > 0 ? named.files : ['/'], context, printer)
    }
    if (named.whos.length === 0 && from === undefined) {
      if (!isSharing(input.flags)) {
        refuseFlags({effect: 'reads', previewsReads: true}, input.flags, 'share FILE')
        return showAccess(named.files, context, printer)
      }
      throw new UsageError('Missing WHO: an email address, @example.com or anyone.')
    }
    if (message !== undefined && notify === false) {
      throw new UsageError(
        '--message and --no-notify cannot be combined: the message is part of the email.',
        'Remove one of them.',
      )
    }
    await refuseChanges(context, '`drv share`')
    const {pairs, looked: accessByFile} = await readPairs(named, from, isGroup, context)
    const client = await context.client()
    const expires = expirationOf(input.flags.expires, context.now())
    const options = {role: role ?? 'reader', notify, message, expires}
    const links = await publicLinks(context, pairs, accessByFile)
    const isPlan = context.options.plan !== undefined && expires !== undefined
    const permissionIds = isPlan ? await permissionIdsOf(client, pairs) : undefined
    const steps = sharingSteps({client, accessByFile, links, permissionIds}, pairs, options)
    const inputs = steps.flatMap(step => ('call' in step ? [step.call.input] : []))
    if (!context.options.dryRun) {
      await confirmDestroying(context, {operation: 'permissions.insert', inputs, isYes})
    }
    await changeAccess(steps, context, printer, links.size > 0 ? ['link'] : [])
  },
})

/** Whether any flag applies only to sharing, so that WHO is required. */
function isSharing({role, group, notify, message, expires}: PartialInput['flags']): boolean {
  return [role, group, notify, message, expires].some(flag => flag !== undefined)
}

const ANYONE: Grantee = {word: 'anyone', type: 'anyone'}

/** When the access ends, as an RFC 3339 time. Throws `UsageError` unless it is in the future. */
function expirationOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const moment = momentIn(text, now, {isAhead: true})
  if (moment !== undefined && moment > now) return new Date(moment).toISOString()
  throw new UsageError(`Invalid --expires: "${text}" is not a time in the future.`, TIME_HINT)
}

async function showReport(
  files: readonly string[],
  context: Context,
  printer: Printer,
): Promise<void> {
  const {rows, failed} = await reportAccess(context, files)
  await printer.records(rows, ACCESS_COLUMNS, 'access')
  if (failed === 0) return
  throw new CommandError('partial', `Could not read the permissions of ${count(failed, 'item')}.`)
}

async function showAccess(
  files: readonly string[],
  context: Context,
  printer: Printer,
): Promise<void> {
  const found = await readAccess(context, files)
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
    `Could not read the permissions of ${failed} of ${count(found.length, 'file')}.`,
  )
}
