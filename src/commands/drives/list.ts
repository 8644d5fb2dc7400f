import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('drives.list', [['List your shared drives', 'drives list --all']])
