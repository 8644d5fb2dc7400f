import {Flags} from '@oclif/core'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {momentIn, TIME_HINT} from '#lib/cli/terminal/moment.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default operationCommand(
  'changes.list',
  [
    ['List what changed since yesterday', 'changes list --since yesterday'],
    [
      'List all changes since a token, with the token for the next time',
      'changes list --page-token "$PAGE_TOKEN" --all',
    ],
    [
      'Write one change a line, for a program',
      'changes list --page-token "$PAGE_TOKEN" --all --format ndjson',
    ],
  ],
  {
    more: 'With --since every page is read and changes before that time are left out; a page token is the faster way to see only what is new.',
    flags: {
      since: ranked(
        2,
        Flags.string({
          summary: 'Changes since then (12h, 7d, today, 2026-01-31), of all pages.',
          helpValue: 'TIME',
          exclusive: ['fields'],
        }),
      ),
    },
    selects({flags: {since}}, now) {
      if (since === undefined) return undefined
      const moment = momentIn(String(since), now)
      if (moment === undefined)
        throw new UsageError(`--since is no time: ${String(since)}.`, TIME_HINT)
      return ({modificationDate}) => Date.parse(String(modificationDate)) >= moment
    },
  },
)
