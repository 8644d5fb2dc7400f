import {examplesOf} from '#lib/cli/run/operation-help.js'
import {depthFlag, depthIn} from '#lib/cli/verbs/everyday/depth.js'
import {listPlaces} from '#lib/cli/verbs/everyday/list.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {LookCommand, placeArgs} from '#lib/cli/verbs/everyday/look-command.js'
import {USAGE_COLUMNS, usageOf} from '#lib/cli/verbs/everyday/usage.js'

export default class Du extends LookCommand {
  static override effect = 'reads' as const
  static override summary = 'Show how much space folders take, and what is in them.'
  static override description =
    'PATH is a folder; without one it is the top of My Drive. Each thing in it is a line with the sum of what lies below, and the folder itself is the last. Sizes are bytes in a pipe. Documents of the editors have no size; shortcuts are not followed; what lies in several folders counts once, with the first of them.'
  static override usage = 'du [PATH...] [FLAGS]'
  static override examples = examplesOf([
    ['See what takes the most space', 'du | sort -n'],
    ['See a folder and two levels of it', 'du /Reports --depth 2'],
    ['Get only the sum, in bytes', 'du /Reports --depth 0 | cut -f 1'],
  ])
  static override args = placeArgs
  static override flags = {
    ...depthFlag('Show so many levels; 0 is the sum alone. It is 1 unless given.'),
    ...fromFlag,
  }

  protected override ownColumns() {
    return USAGE_COLUMNS
  }

  protected override async execute(): Promise<void> {
    const given = await this.parse(Du)
    const {flags} = given
    const depth = depthIn(flags.depth, 0, 1)
    const places = await this.places(given)
    if (await this.plansOnly(places)) return
    const fields = {columns: [], asked: ['id', 'title', 'mimeType', 'fileSize']}
    const seen = await listPlaces(this.context, places, {fields, depth: Infinity})
    const rows = seen.flatMap(one => (one.kind === 'error' ? [] : usageOf(one, depth)))
    await this.printRows(rows, {columns: USAGE_COLUMNS, name: 'usage'})
    this.tellFailures(places, seen)
  }
}
