import {Flags} from '@oclif/core'
import {planRestore, planRevisions} from '#lib/cli/verbs/content/revisions.js'
import {filesArg, filesOf, fromFlag, pathArguments} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

export default stepsCommand('files.untrash', {
  aliases: ['untrash', 'undelete', 'recover'],
  summary: 'Restore files from the trash, or older revisions of files.',
  description: [
    'FILE is the former path of the file, trash:/NAME, a link or an ID.',
    'With --revision, the content of an older revision becomes the newest revision: head~1 is the revision before the newest; a number is a position in `drv revisions list`, with 1 for the oldest; any other value is a revision ID. No revision is deleted.',
  ].join('\n\n'),
  usage: 'restore FILE... [FLAGS]',
  examples: [
    ['Restore a file from the trash', 'restore /q2.pdf'],
    ['Restore the previous content of a file', 'restore /Reports/q3.pdf --revision head~1'],
  ],
  args: filesArg,
  flags: {
    revision: Flags.string({
      summary: 'Restore this revision instead of a file from the trash.',
      helpValue: 'N|head~N|ID',
    }),
    ...fromFlag,
  },

  async plan(context, {args, flags}) {
    const named = [args.file_id].flat().map(String)
    // Globs match existing paths, not the former paths of files in the trash.
    const hasGlobs = flags.revision !== undefined || named.every(word => word.startsWith('trash:'))
    const wanted = {words: named, from: flags.from}
    const words = await (hasGlobs ? filesOf : pathArguments)(context, wanted)
    if (flags.revision === undefined) return planRestore(context, words)
    return planRevisions(context, words, String(flags.revision))
  },
})
