import {watchCommand} from '#lib/cli/verbs/channels/watch-command.js'

export default watchCommand('files.watch', [
  [
    'Send notifications to a URL when a file changes',
    'files watch /Reports/q3.pdf --address https://example.com/hook',
  ],
  ['Print a line whenever a file changes', 'files watch /Reports/q3.pdf --listen'],
])
