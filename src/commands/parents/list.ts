import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('parents.list', [['The folders a file is in', 'parents list FILE_ID']])
