import {Args} from '@oclif/core'
import {filesArg} from '#lib/cli/verbs/everyday/path-arguments.js'
import {planRename} from '#lib/cli/verbs/everyday/rename.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.patch', {
  summary: 'Rename a file, or many files by a substitution.',
  description: [
    "EXPRESSION is 's/OLD/NEW/' with a regular expression, as sed and rename have it: g behind it replaces every match, i ignores case; \\1 or $1 is a group, $& the match, \\L and \\U set the case. Names that do not match stay.",
    'FILE is a path, a link or an ID; with a slash at its end, what is in the folder. Preview with --dry-run. With `OLD NEW` instead it renames a single file: NEW is a title or a path, as for `drv mv`.',
  ].join('\n\n'),
  usage: 'rename EXPRESSION FILE... [FLAGS]',
  examples: [
    ['Rename a file', 'rename /Reports/q3.pdf q3-final.pdf'],
    ['See the new names in a folder', "rename 's/\\.jpe?g$/.jpg/i' /Archive/photos/ --dry-run"],
    ['Rename what a search finds', "$ drv find /logs --format ids | drv rename 's/^/2026-/' -"],
  ],
  args: {
    expression: Args.string({
      description: 'Substitution, in quotes; or the file to rename.',
      required: true,
      ignoreStdin: true,
    }),
    ...filesArg,
  },
  flags: transferFlags,
  plan: planRename,
})
