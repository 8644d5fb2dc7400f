import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {fileArg, linkOf} from '#lib/cli/input/names/links.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Print the address of a file in a browser.',
  description:
    'It is the alternateLink of the file. Who may open it, `drv permissions list` shows.',
  examples: [['Print the address', 'files url /Reports/q3.pdf']],
  args: fileArg,
  effect: 'reads',
  columns: ['alternateLink'],
  async run({args}, context, printer) {
    await refuseEmbedded(context)
    const alternateLink = await linkOf(context, args.file_id)
    if (printer.isStructured) await printer.record({alternateLink})
    else await printer.print(`${alternateLink}\n`)
  },
})
