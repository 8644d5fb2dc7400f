import {Args, Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {
  checkedSums,
  concludeSums,
  readSums,
  sumLine,
  sumsOf,
} from '#lib/cli/verbs/content/checksums.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {listScopes, printRows, viewPlaces} from '#lib/cli/verbs/everyday/view-places.js'

const COLUMNS = ['md5Checksum', 'path']
const CHECK_COLUMNS = ['path', 'result']

export default verb({
  aliases: ['md5'],
  summary: 'Print or check MD5 checksums, in the format of md5sum.',
  description: [
    'PATH is a file or a folder (path, link or ID); for a folder, prints the checksum of every file in it and its subfolders. The service provides the checksums, so nothing is downloaded. Editor documents, which have no checksum, and shortcuts in folders are skipped.',
    'With --check, PATH is a local file with such checksums, or - for standard input; the remote files that it lists are checked. Exits with code 1 if one of them differs or is missing.',
  ].join('\n\n'),
  usage: 'md5sum PATH... [FLAGS]',
  examples: [
    ['Print the checksum of a file', 'md5sum /Reports/q3.pdf'],
    ['Save the checksums of a folder', 'md5sum /Reports > reports.md5'],
    [
      'Check remote files against saved checksums',
      '$ drv md5sum /Reports > reports.md5 && drv md5sum -c reports.md5',
    ],
  ],
  args: {
    path: Args.string({
      description: 'Files and folders (paths, links or IDs); - reads them from standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    check: Flags.boolean({
      summary: 'Check remote files against the checksums in local files.',
      char: 'c',
    }),
    ...fromFlag,
  },
  effect: 'reads',
  previewsReads: true,
  columns: ({check}) => (check ? CHECK_COLUMNS : COLUMNS),
  acceptedScopes: listScopes,
  async run(input, context, printer) {
    const {args, flags} = input
    if (flags.check) return check(args.path ?? [], context, printer)
    const fields = {columns: [], requested: ['id', 'title', 'mimeType', 'md5Checksum']}
    const listing = {fields, depth: Infinity, follows: 'to all'} as const
    await viewPlaces(input, context, printer, listing, async seen => {
      const rows = sumsOf(seen)
      if (!isText(printer, context)) {
        return printRows(rows, {columns: COLUMNS, name: 'found file'}, context, printer)
      }
      await printer.show(rows.map(sumLine).join(''))
    })
  },
})

async function check(files: readonly string[], context: Context, printer: Printer): Promise<void> {
  if (await printer.preview('md5sum --check', ...files)) return
  const sums = await readSums(files, context)
  const results = await checkedSums(context, sums)
  if (isText(printer, context)) {
    const lines = results.map(({path, result}) => `${path}: ${result}\n`)
    await printer.show(lines.join(''))
  } else
    await printer.records(
      results.map(one => ({...one})),
      CHECK_COLUMNS,
    )
  concludeSums(results)
}

/** Whether the lines of md5sum are printed, rather than rows or records. */
function isText({format}: Printer, {options}: Context): boolean {
  return ['table', 'tsv'].includes(format) && !options.columns
}
