import {operation} from '#lib/api/operations.js'
import type {Row} from '#lib/cli/output/format.js'
import {verb} from '#lib/cli/run/verb.js'
import {STORAGE_COLUMNS, storageOf} from '#lib/cli/verbs/everyday/usage.js'
import {humanSizesFlag, printRows, withSizeTexts} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  aliases: ['quota', 'storage'],
  summary: 'Show how much storage is used and available.',
  description:
    'In a pipe, sizes are in bytes. `total` and `available` are empty if storage is unlimited. To see which folders use the space, run `drv du`.',
  usage: 'df [FLAGS]',
  examples: [
    ['Show storage', 'df'],
    ['Get the available bytes', 'df --columns available'],
  ],
  flags: humanSizesFlag,
  effect: 'reads',
  previewsReads: true,
  columns: STORAGE_COLUMNS,
  acceptedScopes: operation('about.get').scopes,
  async run({flags}, context, printer) {
    if (await printer.preview('about.get', 'storage')) return
    const requested =
      'name,quotaType,quotaBytesTotal,quotaBytesUsedAggregate,quotaBytesUsed,quotaBytesUsedInTrash,user/emailAddress'
    const client = await context.client()
    const row = storageOf((await client.call('about.get', {params: {fields: requested}})) ?? {})
    if (printer.isStructured) return printer.record(row)
    const isHuman = flags['human-readable']
    const fields = isHuman ? ['total', 'used', 'available', 'trash'] : []
    const rows = fields.reduce<Iterable<Row>>(
      (some, field) => withSizeTexts(some, field, printer),
      [row],
    )
    await printRows(rows, {columns: STORAGE_COLUMNS, name: 'storage'}, context, printer)
  },
})
