import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('apps.get', [['Show an app', 'apps get "$APP_ID"']])
