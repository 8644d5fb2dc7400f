import {listCommand} from '../../lib/cli/list.js'

export default listCommand('revisions.list', {
  examples: [['The revisions of a file', 'revisions list FILE_ID --all']],
})
