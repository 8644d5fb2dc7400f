import {Args} from '@oclif/core'
import {filesArg} from '#lib/cli/verbs/everyday/path-arguments.js'
import {planRename} from '#lib/cli/verbs/everyday/rename.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {transferFlags} from '#lib/cli/verbs/everyday/target.js'

export default stepsCommand('files.patch', {
  summary: 'Rename files and folders with a regular expression.',
  description: [
    "EXPRESSION is 's/OLD/NEW/', as in sed and rename. OLD is a regular expression. The flag g replaces every match, i ignores case; \\1 or $1 is a group, $& the match, \\L and \\U set the case. Names that do not match stay unchanged.",
    'FILE is a path, a link or an ID; a folder with a trailing slash means its contents. Use --dry-run to preview the new names. To give a single file a new name, use `drv mv OLD NEW`.',
  ].join('\n\n'),
  usage: 'rename EXPRESSION FILE... [FLAGS]',
  examples: [
    ['Rename a file', "rename 's/q3/q3-final/' /Reports/q3.pdf"],
    ['Preview the new names in a folder', "rename 's/\\.jpe?g$/.jpg/i' /Archive/photos/ --dry-run"],
    [
      'Rename the files that a search finds',
      "$ drv find /logs --format ids | drv rename 's/^/2026-/' -",
    ],
  ],
  args: {
    expression: Args.string({
      description: 'Substitution, in quotes.',
      required: true,
      ignoreStdin: true,
    }),
    ...filesArg,
  },
  flags: transferFlags,
  plan: planRename,
})
