import {examplesOf} from '#lib/cli/run/operation-help.js'
import {depthFlag, depthIn} from '#lib/cli/verbs/everyday/depth.js'
import {drawing} from '#lib/cli/verbs/everyday/drawing.js'
import {listPlaces} from '#lib/cli/verbs/everyday/list.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {LookCommand, placeArgs} from '#lib/cli/verbs/everyday/look-command.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {sectionsOf} from '#lib/cli/verbs/everyday/sections.js'
import {rowsOf} from '#lib/cli/verbs/everyday/tree.js'
import {sumText} from '#lib/cli/verbs/everyday/usage.js'

export default class Tree extends LookCommand {
  static override effect = 'reads' as const
  static override summary = 'Draw what is in folders and all below, with sizes.'
  static override description =
    'PATH is a folder; without one it is the top of My Drive. Each level costs a request or two, however many folders it has. Shortcuts are not followed. A pipe gets the rows of `drv ls -R`, and with --format table the drawing.'
  static override usage = 'tree [PATH...] [FLAGS]'
  static override examples = examplesOf([
    ['Draw a folder', 'tree /Reports'],
    ['Draw only its first two levels', 'tree /Reports --depth 2'],
  ])
  static override args = placeArgs
  static override flags = {...depthFlag('Look so many levels down.'), ...fromFlag}

  protected override async execute(): Promise<void> {
    const given = await this.parse(Tree)
    const {flags} = given
    const depth = depthIn(flags.depth, 1, Infinity)
    const places = await this.places(given)
    if (await this.plansOnly(places)) return
    const {columns} = this.context.options
    const fields = rowFieldsFor({columns})
    const seen = await listPlaces(this.context, places, {fields, depth})
    const how = {columns: fields.columns, name: 'found file'} as const
    if (this.printer.output.isForPeople && !columns) {
      const {files} = sectionsOf(seen)
      if (files.length > 0) await this.printRows(files, how)
      const drawings = seen.flatMap(one =>
        one.kind === 'nodes' ? [`${drawing(one.head, one.nodes)}\n${sumText(one.nodes)}\n`] : [],
      )
      await this.printer.show(drawings.join('\n'))
    } else {
      const rows = seen.flatMap(one => {
        if (one.kind === 'nodes') return rowsOf(one.nodes)
        return one.kind === 'file' ? [one.row] : []
      })
      await this.printRows(rows, how)
    }
    this.tellFailures(places, seen)
  }
}
