import {listCommand} from '../../lib/cli/list.js'

export default listCommand('drives.list', {
  examples: [['Your shared drives', 'drives list --all']],
})
