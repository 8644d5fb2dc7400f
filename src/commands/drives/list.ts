import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('drives.list', [['List your shared drives', 'drives list --all']], {
  aliases: ['drives ls', 'teamdrives', 'shareddrives'],
})
