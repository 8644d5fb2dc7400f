import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('apps.list', [
  ['Your apps', 'apps list'],
  ['Those that open PDF files', 'apps list --app-filter-extensions pdf'],
])
