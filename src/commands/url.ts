import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {linkIn} from '#lib/cli/input/names/links.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'

export default everydayCommand('files.get', {
  aliases: ['link', 'links', 'getlink'],
  summary: 'Print the URLs of files and folders.',
  description:
    'Prints the alternateLink of each file. To see who can open it, run `drv share FILE`.',
  usage: 'url FILE... [FLAGS]',
  examples: [
    ['Print the URL of a file', 'url /Reports/q3.pdf'],
    ['Copy the URL to the clipboard', 'url /Reports/q3.pdf | pbcopy'],
    [
      'Print the URLs of the files that a search finds',
      '$ drv find /Reports --format ids | drv url -',
    ],
  ],
  flags: manyFlags,
  refuse: refuseEmbedded,
  columns: ['alternateLink'],
  settle: input => ({...input, flags: {...input.flags, fields: 'alternateLink'}}),
  async print(answer, _, {printer}, standard) {
    const link = linkIn(answer)
    if (printer.isStructured) return standard(answer)
    await printer.print(`${link}\n`)
  },
})
