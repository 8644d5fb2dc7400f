import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {fileArg, openInBrowser} from '#lib/cli/input/names/links.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Open a file in a browser.',
  description:
    'Uses the browser in $BROWSER (default: the browser of the system). To print the URL instead, run `drv files url`.',
  examples: [['Open a folder', 'files open /Reports']],
  args: fileArg,
  effect: 'reads',
  columns: ['alternateLink'],
  async run({args}, context, printer) {
    await refuseEmbedded(context)
    const alternateLink = await openInBrowser(context, args.file_id)
    context.note(`Opened ${alternateLink}`)
    if (printer.isStructured) await printer.record({alternateLink})
  },
})
