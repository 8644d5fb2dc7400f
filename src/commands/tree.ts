import {verb} from '#lib/cli/run/verb.js'
import {drawing} from '#lib/cli/verbs/everyday/drawing.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {rowsOf, sectionsOf} from '#lib/cli/verbs/everyday/list-places.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {sumText} from '#lib/cli/verbs/everyday/usage.js'
import {
  depthFlag,
  depthIn,
  fileColumns,
  lookScopes,
  placeArgs,
  printRows,
  viewPlaces,
} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  everyDay: 2,
  summary: 'Draw what is in folders and all below, with sizes.',
  description:
    'PATH is a folder; without one it is the top of My Drive. Each level costs a request or two, however many folders it has. Only shortcuts that you name are followed. A pipe gets the rows of `drv ls -R`, and with --format table the drawing.',
  usage: 'tree [PATH...] [FLAGS]',
  examples: [
    ['Draw a folder', 'tree /Reports'],
    ['Draw only its first two levels', 'tree /Reports -L 2'],
  ],
  args: placeArgs,
  flags: {...depthFlag('Descend at most N levels; also --max-depth.', 'L'), ...fromFlag},
  effect: 'reads',
  columns: fileColumns,
  acceptedScopes: lookScopes,
  async run(given, context, printer) {
    const {flags} = given
    const depth = depthIn(flags.depth, 1, Infinity)
    const {columns} = context.options
    const fields = rowFieldsFor({columns})
    const how = {columns: fields.columns, name: 'found file'} as const
    await viewPlaces(
      given,
      context,
      printer,
      {fields, depth, follows: 'to folders'},
      async seen => {
        if (printer.output.isForPeople && !columns) {
          const {files} = sectionsOf(seen)
          if (files.length > 0) await printRows(files, how, context, printer)
          const drawings = seen.flatMap(one =>
            one.kind === 'nodes'
              ? [`${drawing(one.head, one.nodes)}\n${sumText(one.nodes)}\n`]
              : [],
          )
          await printer.show(drawings.join('\n'))
        } else {
          const rows = seen.flatMap(one => {
            if (one.kind === 'nodes') return rowsOf(one.nodes)
            return one.kind === 'file' ? [one.row] : []
          })
          await printRows(rows, how, context, printer)
        }
      },
    )
  },
})
