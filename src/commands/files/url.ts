import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {fileArg, linkOf} from '#lib/cli/input/names/links.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: "Print the URL of a file's web page.",
  description:
    "The URL is the file's alternateLink. To see who can open it, run `drv permissions list`.",
  examples: [['Print the URL', 'files url /Reports/q3.pdf']],
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
