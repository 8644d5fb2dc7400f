import {Args, Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {listScopes} from '#lib/cli/verbs/everyday/view-places.js'
import {compareTrees, comparisonText} from '#lib/cli/verbs/trees/check.js'
import {ruleFlags} from '#lib/cli/verbs/trees/rules.js'

const COLUMNS = ['result', 'path', 'reason']

export default verb({
  aliases: ['diff', 'compare', 'verify', 'cmp'],
  summary: 'Compare local files with remote files, without copying.',
  description: [
    'LOCAL and REMOTE are two folders, whose contents are compared by name, or two files, whose names may differ. Files match when they have the same size and MD5. Editor documents have no content to compare. A shortcut is compared as its target.',
    'Prints a row for each difference: differs, only local, only remote, or error. Exits with code 1 if there are differences.',
  ].join('\n\n'),
  usage: 'check LOCAL REMOTE [FLAGS]',
  examples: [
    [
      'Check that everything was uploaded',
      '$ drv push photos/ /Archive/photos && drv check photos /Archive/photos --one-way',
    ],
    [
      'Check a download in both directions',
      '$ drv pull /Reports/2026 backup && drv check backup/2026 /Reports/2026',
    ],
  ],
  args: {
    local: Args.string({description: 'Local file or folder.', required: true, ignoreStdin: true}),
    remote: Args.string({
      description: 'Remote file or folder: a path, a link or an ID.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    'one-way': Flags.boolean({summary: 'Ignore files that exist only in REMOTE.'}),
    checksum: Flags.boolean({summary: 'Compare size and MD5 (default).'}),
    'size-only': Flags.boolean({summary: 'Compare only sizes, without reading local files.'}),
    ...ruleFlags,
  },
  effect: 'reads',
  previewsReads: true,
  columns: COLUMNS,
  acceptedScopes: listScopes,
  async run({args, flags}, context, printer) {
    if (flags.checksum && flags['size-only']) {
      throw new UsageError('--checksum and --size-only cannot be combined.', 'Remove one of them.')
    }
    const {local, remote} = args
    if (await printer.preview('check', `${local} ${remote}`)) return
    const {exclude, include} = flags
    const comparison = await compareTrees(context, [local, remote], {
      ...{exclude, include},
      oneWay: flags['one-way'],
      sizeOnly: flags['size-only'],
    })
    const {differences} = comparison
    await printer.records(
      differences.map(one => ({...one})),
      COLUMNS,
    )
    const text = comparisonText(comparison)
    if (differences.length > 0) throw new CommandError('failed', text)
    context.note(text)
  },
})
