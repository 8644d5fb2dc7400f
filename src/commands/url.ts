import type {Parsed} from '#lib/cli/input/call-input.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {linkIn} from '#lib/cli/input/names/links.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

const Operation = operationCommand('files.get', [], {
  async print(answer, _, {printer}, standard) {
    const link = linkIn(answer)
    if (printer.isStructured) return standard(answer)
    await printer.print(`${link}\n`)
  },
})

export default class Url extends Operation {
  static override effect = 'reads' as const
  static override summary = 'Print the addresses of files in a browser.'
  static override description =
    'It is the alternateLink of each file. Who may open it, `drv share FILE` shows.'
  static override usage = 'url FILE_ID... [FLAGS]'
  static override examples = examplesOf([
    ['Print the address', 'url /Reports/q3.pdf'],
    ['Copy the address', 'url /Reports/q3.pdf | pbcopy'],
    [
      'Print those of all files that a search finds',
      '$ drv find /Reports --format ids | drv url -',
    ],
  ])
  static override flags = {...manyFlags}

  protected override settled(given: Parsed): Parsed {
    return {...given, flags: {...given.flags, fields: 'alternateLink'}}
  }

  protected override columns() {
    return ['alternateLink']
  }
}
