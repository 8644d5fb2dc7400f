import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('apps.list', [
  ['List your apps', 'apps list'],
  ['List apps that open PDF files', 'apps list --app-filter-extensions pdf'],
])
