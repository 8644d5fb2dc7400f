import {manyFlags} from '#lib/cli/input/items/several.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'

export default everydayCommand('files.patch', {
  summary: 'Remove the star from files and folders.',
  description: 'FILE is a path, a link or an ID. `drv star` adds a star.',
  usage: 'unstar FILE... [FLAGS]',
  examples: [['Remove the star from a file', 'unstar /Reports/q3.pdf']],
  flags: manyFlags,
  defaults: {body: {labels: {starred: false}}},
  isBrief: true,
})
