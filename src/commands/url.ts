import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {linkIn} from '#lib/cli/input/names/links.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'

export default everydayCommand('files.get', {
  everyDay: 14,
  aliases: ['link', 'links', 'getlink'],
  summary: 'Print the addresses of files in a browser.',
  description: 'It is the alternateLink of each file. Who may open it, `drv share FILE` shows.',
  usage: 'url FILE... [FLAGS]',
  examples: [
    ['Print the address', 'url /Reports/q3.pdf'],
    ['Copy the address', 'url /Reports/q3.pdf | pbcopy'],
    [
      'Print those of all files that a search finds',
      '$ drv find /Reports --format ids | drv url -',
    ],
  ],
  flags: manyFlags,
  refuse: refuseEmbedded,
  columns: ['alternateLink'],
  settle: given => ({...given, flags: {...given.flags, fields: 'alternateLink'}}),
  async print(answer, _, {printer}, standard) {
    const link = linkIn(answer)
    if (printer.isStructured) return standard(answer)
    await printer.print(`${link}\n`)
  },
})
