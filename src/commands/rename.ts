import {Args} from '@oclif/core'
import {filesArg} from '#lib/cli/verbs/everyday/path-arguments.js'
import {planRename} from '#lib/cli/verbs/everyday/rename.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.patch', {
  summary: 'Rename a file, or many files with a regular expression.',
  description: [
    "EXPRESSION is 's/OLD/NEW/', as in sed and rename. OLD is a regular expression. The flag g replaces every match, i ignores case; \\1 or $1 is a group, $& the match, \\L and \\U set the case. Names that do not match stay unchanged.",
    'FILE is a path, a link or an ID; a folder with a trailing slash means its contents. Use --dry-run to preview the new names. `drv rename FILE NAME` renames a single file: NAME is the new name, or a path as for `drv mv`.',
  ].join('\n\n'),
  usage: 'rename EXPRESSION FILE... [FLAGS]',
  examples: [
    ['Rename a file', 'rename /Reports/q3.pdf q3-final.pdf'],
    ['Preview the new names in a folder', "rename 's/\\.jpe?g$/.jpg/i' /Archive/photos/ --dry-run"],
    [
      'Rename the files that a search finds',
      "$ drv find /logs --format ids | drv rename 's/^/2026-/' -",
    ],
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
