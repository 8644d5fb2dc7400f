import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('apps.list', [
  ['List your apps', 'apps list'],
  ['List those that open PDF files', 'apps list --app-filter-extensions pdf'],
])
