import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('drives.list', [['Your shared drives', 'drives list --all']])
