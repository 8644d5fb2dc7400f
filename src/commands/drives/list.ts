import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('drives.list', [['List your shared drives', 'drives list --all']])
