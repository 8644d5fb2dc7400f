import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {checkOneReader, withRepeatable} from '#lib/cli/input/items/several.js'
import {fileArg, openInBrowser} from '#lib/cli/input/names/links.js'
import type {Row} from '#lib/cli/output/format.js'
import {verb} from '#lib/cli/run/verb.js'
import {filesOf, fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'

export default verb({
  everyDay: 13,
  aliases: ['browse', 'web'],
  summary: 'Open a file or folder in the browser.',
  description:
    'Uses the browser in $BROWSER (default: the system browser). `drv url` prints the URL instead.',
  examples: [
    ['Open a folder', 'open /Reports'],
    ['Open the files that a search finds', '$ drv find --name "q3*" --format ids | drv open -'],
    ['Open a folder in another browser', '$ BROWSER=firefox drv open /Reports'],
  ],
  args: withRepeatable(fileArg, 'file_id'),
  flags: fromFlag,
  effect: 'reads',
  previewsReads: true,
  columns: ['alternateLink'],
  async run(input, context, printer) {
    checkOneReader(input)
    await refuseEmbedded(context)
    const {from} = input.flags
    const words = await filesOf(context, {words: input.args.file_id, from})
    if (await printer.preview('open in a browser', ...words)) return
    const opened: Row[] = []
    for (const word of words) {
      const alternateLink = await openInBrowser(context, word)
      context.note(`Opened ${alternateLink}`)
      opened.push({alternateLink})
    }
    if (!printer.isStructured) return
    if (opened.length === 1) await printer.record(opened[0]!)
    else await printer.records(opened)
  },
})
