import {Flags} from '@oclif/core'
import {dataDirectory, dataFlag} from '#lib/cli/context/local-service.js'
import {showRequests} from '#lib/cli/local/log.js'
import {ALL_REQUEST_COLUMNS, requestTest} from '#lib/cli/local/request-rows.js'
import {requireRunning} from '#lib/cli/local/running.js'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default verb({
  summary: 'List the requests that the running local service has answered.',
  description:
    'Lists the last 10,000 requests, oldest first: time, status, operation, user, app, scopes, the reason for a refusal, and the simulated failure. The calls in a batch are listed one by one. Tokens, queries, headers and bodies are not recorded. The list is lost when the service stops; other users of this machine cannot read it.',
  examples: [
    ['List all requests', 'local log'],
    ['List refused uploads', 'local log --operation files.insert --status 4xx'],
    ['Print requests as they are answered', 'local log --follow --format ndjson'],
  ],
  flags: {
    ...dataFlag,
    follow: ranked(
      0,
      Flags.boolean({summary: 'Print new requests until the command or the service is stopped.'}),
    ),
    operation: ranked(
      1,
      Flags.string({
        summary:
          'Only these operations, separated by commas: files.insert, or files.* for a group.',
        helpValue: 'NAME',
        multiple: true,
        multipleNonGreedy: true,
      }),
    ),
    status: ranked(
      2,
      Flags.string({
        summary:
          'Only responses with these statuses, separated by commas: 404, or 4xx for a group.',
        helpValue: 'STATUS',
        multiple: true,
        multipleNonGreedy: true,
      }),
    ),
  },
  effect: 'reads',
  usesToken: false,
  columns: ALL_REQUEST_COLUMNS,
  printing: ({follow}) => (follow ? {isPaged: false} : {}),
  async run({flags: {data, follow, ...filter}}, context, printer) {
    const isShown = requestTest(filter)
    const services = await requireRunning(dataDirectory(data, context.environment))
    await showRequests(services, {isShown, isFollowing: follow}, context, printer)
  },
})
