import {Flags} from '@oclif/core'
import {momentIn, TIME_HINT} from '#lib/api/moment.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default operationCommand(
  'changes.list',
  [
    ['List changes since yesterday', 'changes list --since yesterday'],
    [
      'List all changes since a token, with the next page token',
      'changes list --page-token "$PAGE_TOKEN" --all',
    ],
    [
      'Write one change per line as JSON',
      'changes list --page-token "$PAGE_TOKEN" --all --format ndjson',
    ],
  ],
  {
    more: '--since reads all pages and drops earlier changes; --page-token reads only later changes and is faster.',
    flags: {
      since: ranked(
        2,
        Flags.string({
          summary: 'Only changes since TIME (12h, 7d, today, 2026-01-31), from all pages.',
          helpValue: 'TIME',
          exclusive: ['fields'],
        }),
      ),
    },
    selects({flags: {since}}, now) {
      if (since === undefined) return undefined
      const moment = momentIn(String(since), now)
      if (moment === undefined)
        throw new UsageError(`Invalid --since: "${String(since)}" is not a time.`, TIME_HINT)
      return ({modificationDate}) => Date.parse(String(modificationDate)) >= moment
    },
  },
)
