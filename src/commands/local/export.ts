import {Flags} from '@oclif/core'
import {dataDirectory, dataFlag, openData} from '#lib/cli/context/local-service.js'
import {exportStore, itemCount, seedText, writeSeedFile} from '#lib/cli/local/export-seed.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count} from '#lib/cli/terminal/units.js'

export default verb({
  summary: 'Write the data of the local service as a seed, for `--seed`.',
  description:
    'A service that starts with the seed has the same users, apps, shared drives, organizations and files, with the same IDs, dates and versions. The seed contains no tokens and no sign-ins. Without --with-content, only the size of each file is exported, and the service generates content of that size. The export can run while the service is running.',
  examples: [
    ['Print the seed', 'local export'],
    [
      'Write it to a file, with the content of all files',
      'local export --with-content -o seed-copy.yaml',
    ],
  ],
  flags: {
    ...dataFlag,
    'with-content': Flags.boolean({
      summary:
        'Export content too: up to 16 KiB in the seed, larger content in a folder beside it.',
    }),
    output: ranked(
      5,
      Flags.string({
        char: 'o',
        summary: 'Write to this file: JSON if its name ends with .json, otherwise YAML.',
        helpValue: 'FILE',
      }),
    ),
    force: Flags.boolean({summary: 'Replace an existing file.'}),
  },
  effect: 'reads',
  async run({flags}, context, printer) {
    const {output} = flags
    if (output === '') throw new UsageError('Invalid --output: must not be empty.')
    const {openReadOnly} = await import('#lib/service/store/database/inspect.js')
    // Opening creates a missing directory.
    openReadOnly(dataDirectory(flags.data, context.environment)).close()
    const store = await openData(flags.data, context)
    const exported = await exportStore(store, {output, hasContent: flags['with-content']})
    const {seed} = exported
    if (output === undefined) {
      if (printer.isStructured) return printer.record({...seed})
      return printer.print(await seedText(seed))
    }
    await writeSeedFile(store, exported, output, flags.force)
    const users = count(seed.users?.length ?? 0, 'user')
    context.note(`Wrote ${users} and ${count(itemCount(seed), 'item')} to ${output}.`)
    if (printer.isStructured) await printer.record({file: output})
  },
})
