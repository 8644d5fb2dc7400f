import type {Context} from '#lib/cli/context/context.js'
import {askChoice, askText} from '#lib/cli/terminal/prompts.js'
import {shellWord, splitAtDashes} from '#lib/cli/terminal/read-argv.js'
import {printable} from '#lib/platform/sanitize.js'
import type {MissingInput, PartialInput} from './missing-inputs.js'
import {createResolver} from './names/resolver.js'

/**
 * Prompts for the missing inputs one by one and returns the complete argv, which it also prints. Throws
 * the errors of the requests that list the choices.
 */
export async function askForMissing(
  context: Context,
  argv: readonly string[],
  input: PartialInput,
  missing: readonly MissingInput[],
  command: string,
): Promise<string[]> {
  const flags: string[] = []
  const args: string[] = []
  let known = input
  for (const one of missing) {
    const answer = await promptFor(context, one, known)
    known = {...known, [one.in]: {...known[one.in], [one.name]: answer}}
    if (one.in === 'args') args.push(answer)
    else flags.push(`--${one.name}=${answer}`)
  }
  const all = withAnswers(argv, flags, args)
  context.note(
    `Equivalent command: \`${['drv', ...command.split(' '), ...all].map(word => shellWord(printable(word))).join(' ')}\``,
  )
  return all
}

/** Argv with the answers inserted; arguments after `--` stay there. */
export function withAnswers(
  argv: readonly string[],
  flags: readonly string[],
  args: readonly string[],
): string[] {
  const {own: before, rest} = splitAtDashes(argv)
  const [dashes, ...after] = rest
  // An argument that starts with a dash has to follow `--`.
  const isDashed = dashes !== undefined || args.some(word => word.startsWith('-'))
  return isDashed ? [...before, ...flags, '--', ...after, ...args] : [...before, ...args, ...flags]
}

async function promptFor(
  context: Context,
  missing: MissingInput,
  input: PartialInput,
): Promise<string> {
  const {message, kind, options} = missing
  if (options) {
    const choices = options.map(value => ({name: value, value}))
    return askChoice(context, `${message}:`, choices)
  }
  if (kind === 'text') return askText(context, `${message}:`)
  if (kind === 'who') {
    const {whoIn} = await import('./names/permissions.js')
    const check = (text: string) =>
      whoIn(text)
        ? undefined
        : 'Enter an email address, a domain such as @example.com, or "anyone".'
    return askText(context, `${message}:`, check)
  }
  const pick = await import('./names/pick.js')
  if (kind === 'drive') return idArgument(await pick.pickDrive(context, message))
  if (kind === 'file' || kind === 'folder') {
    return idArgument(await pick.pickFile(context, message, {foldersOnly: kind === 'folder'}))
  }
  const fileId = await fileOf(context, input)
  if (kind === 'access') return pick.pickAccess(context, message, fileId!)
  if (fileId === undefined) return askText(context, `${message}:`)
  const pickOne = kind === 'permission' ? pick.pickPermission : pick.pickRevision
  return idArgument(await pickOne(context, message, fileId))
}

/** The ID of the file or shared drive in the arguments; `undefined` without such an argument. */
async function fileOf(context: Context, {args}: PartialInput): Promise<string | undefined> {
  const word = [args.file_id ?? args.words].flat()[0]
  return typeof word === 'string' ? createResolver(context).file(word) : undefined
}

/** An ID as an argument that cannot be parsed as anything else. */
function idArgument(id: string): string {
  return /^\w[\w-]*$/.test(id) ? id : `id:${id}`
}
