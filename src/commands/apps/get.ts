import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('apps.get', [['Show an app', 'apps get "$APP_ID"']])
