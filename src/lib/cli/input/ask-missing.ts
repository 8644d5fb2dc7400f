import type {Context} from '#lib/cli/context/context.js'
import {askChoice, askText} from '#lib/cli/terminal/prompts.js'
import {shellWord, splitAtDashes} from '#lib/cli/terminal/read-argv.js'
import {printable} from '#lib/platform/sanitize.js'
import type {Given, Need} from './missing-inputs.js'
import {createLookups} from './names/lookups.js'

/**
 * Asks for what a command line lacks, one after the other, and gives the words of the whole line; says
 * it as well, for next time. Fails as the requests do that it takes to know what there is.
 */
export async function askForMissing(
  context: Context,
  words: readonly string[],
  given: Given,
  needs: readonly Need[],
  command: string,
): Promise<string[]> {
  const flags: string[] = []
  const args: string[] = []
  let known = given
  for (const need of needs) {
    const answer = await answerTo(context, need, known)
    known = {...known, [need.in]: {...known[need.in], [need.name]: answer}}
    if (need.in === 'args') args.push(answer)
    else flags.push(`--${need.name}=${answer}`)
  }
  const all = withAnswers(words, flags, args)
  context.note(
    `This is \`${['drv', ...command.split(' '), ...all].map(word => shellWord(printable(word))).join(' ')}\`.`,
  )
  return all
}

/** The words with what was answered; what is behind `--` stays there. Pure. */
export function withAnswers(
  words: readonly string[],
  flags: readonly string[],
  args: readonly string[],
): string[] {
  const {own: before, rest} = splitAtDashes(words)
  const [dashes, ...behind] = rest
  // A word that looks like a flag is none there.
  const isDashed = dashes !== undefined || args.some(word => word.startsWith('-'))
  return isDashed ? [...before, ...flags, '--', ...behind, ...args] : [...before, ...args, ...flags]
}

async function answerTo(context: Context, need: Need, given: Given): Promise<string> {
  const {message, kind, options} = need
  if (options) {
    const choices = options.map(value => ({name: value, value}))
    return askChoice(context, `${message}:`, choices)
  }
  if (kind === 'text') return askText(context, `${message}:`)
  if (kind === 'who') {
    const {whoIn} = await import('./names/permissions.js')
    const check = (text: string) =>
      whoIn(text) ? undefined : 'Type an e-mail address, @example.com or anyone.'
    return askText(context, `${message}:`, check)
  }
  const pick = await import('./names/pick.js')
  if (kind === 'drive') return idWord(await pick.pickDrive(context, message))
  if (kind === 'file' || kind === 'folder') {
    return idWord(await pick.pickFile(context, message, {foldersOnly: kind === 'folder'}))
  }
  const fileId = await fileOf(context, given)
  if (kind === 'access') return pick.pickAccess(context, message, fileId!)
  if (fileId === undefined) return askText(context, `${message}:`)
  const pickOne = kind === 'permission' ? pick.pickPermission : pick.pickRevision
  return idWord(await pickOne(context, message, fileId))
}

/** The ID of the file that the command line names, or the shared drive. */
async function fileOf(context: Context, {args}: Given): Promise<string | undefined> {
  const word = [args.file_id ?? args.words].flat()[0]
  return typeof word === 'string' ? createLookups(context).file(word) : undefined
}

/** An ID as a word that is taken for nothing else. */
function idWord(id: string): string {
  return /^\w[\w-]*$/.test(id) ? id : `id:${id}`
}
