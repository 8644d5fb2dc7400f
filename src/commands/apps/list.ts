import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('apps.list', [
  ['List your apps', 'apps list'],
  ['List those that open PDF files', 'apps list --app-filter-extensions pdf'],
])
