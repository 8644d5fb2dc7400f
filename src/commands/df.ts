import {operation} from '#lib/api/operations.js'
import {verb} from '#lib/cli/run/verb.js'
import {STORAGE_COLUMNS, storageOf} from '#lib/cli/verbs/everyday/usage.js'
import {printRows} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  summary: 'Show how much storage is used and available.',
  description:
    'Sizes are bytes in a pipe. `total` and `available` are empty where the storage is unlimited. `drv du` shows what takes the space.',
  usage: 'df [FLAGS]',
  examples: [
    ['Show storage', 'df'],
    ['Get the available bytes', 'df --columns available'],
  ],
  effect: 'reads',
  columns: STORAGE_COLUMNS,
  acceptedScopes: operation('about.get').scopes,
  async run(_, context, printer) {
    if (await printer.preview('about.get', 'storage')) return
    const fields =
      'name,quotaType,quotaBytesTotal,quotaBytesUsedAggregate,quotaBytesUsed,quotaBytesUsedInTrash,user/emailAddress'
    const client = await context.client()
    const row = storageOf((await client.call('about.get', {params: {fields}})) ?? {})
    if (printer.isStructured) return printer.record(row)
    await printRows([row], {columns: STORAGE_COLUMNS, name: 'storage'}, context, printer)
  },
})
