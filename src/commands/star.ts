import {manyFlags} from '#lib/cli/input/items/several.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'

export default everydayCommand('files.patch', {
  summary: 'Star files and folders.',
  description: 'FILE is a path, a link or an ID. `drv unstar` removes the star.',
  usage: 'star FILE... [FLAGS]',
  examples: [
    ['Star a file', 'star /Reports/q3.pdf'],
    ['Star the files that a search finds', "$ drv find --name '*q3*' --format ids | drv star -"],
  ],
  flags: manyFlags,
  defaults: {body: {labels: {starred: true}}},
  isBrief: true,
})
