import {verb} from '#lib/cli/run/verb.js'
import {treeDrawing} from '#lib/cli/verbs/everyday/drawing.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {namedFiles, rowsOf} from '#lib/cli/verbs/everyday/list-places.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {sumText} from '#lib/cli/verbs/everyday/usage.js'
import {
  depthFlag,
  depthIn,
  fileColumns,
  listScopes,
  placeArgs,
  printRows,
  viewPlaces,
} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  everyDay: 2,
  summary: 'Show folders as a tree, with sizes.',
  description:
    'PATH is a file or folder (default: My Drive). Shows the files and folders of all levels, unless --depth limits them; needs one request for every 50 folders of a level. Shortcuts are followed only if named as PATH. In a pipe, prints the rows of `drv ls -R`; use --format table for the tree.',
  usage: 'tree [PATH...] [FLAGS]',
  examples: [
    ['Show a folder as a tree', 'tree /Reports'],
    ['Show only the first two levels', 'tree /Reports -L 2'],
  ],
  args: placeArgs,
  flags: {...depthFlag('Show at most N levels; also --max-depth.', 'L'), ...fromFlag},
  effect: 'reads',
  previewsReads: true,
  columns: fileColumns,
  acceptedScopes: listScopes,
  async run(input, context, printer) {
    const {flags} = input
    const depth = depthIn(flags.depth, 1, Infinity)
    const {columns} = context.options
    const fields = rowFieldsFor({columns})
    const rowsOptions = {columns: fields.columns, name: 'found file'} as const
    await viewPlaces(
      input,
      context,
      printer,
      {fields, depth, follows: 'to folders'},
      async seen => {
        if (printer.output.isForPeople && !columns) {
          const files = namedFiles(seen)
          if (files.length > 0) await printRows(files, rowsOptions, context, printer)
          const drawings = seen.flatMap(one => {
            if (one.kind !== 'nodes') return []
            const nodes = one.nodes()
            return [`${treeDrawing(one.head, nodes)}\n${sumText(nodes)}\n`]
          })
          await printer.show(drawings.join('\n'))
        } else {
          const rows = seen.flatMap(one => {
            if (one.kind === 'nodes') return rowsOf(one.nodes())
            return one.kind === 'file' ? [one.row] : []
          })
          await printRows(rows, rowsOptions, context, printer)
        }
      },
    )
  },
})
