import {createBatches} from '#lib/client/batch/batch.js'
import type {TimedStep, Waits} from '#lib/client/transport/waits.js'
import {chooseUpload, needsSession} from '#lib/client/upload/outgoing.js'
import {createSessions} from '#lib/client/upload/sessions.js'
import {callOperation, plannedRequest} from './calls.js'
import {type ChangeGate, withGate} from './change-gate.js'
import type {Client} from './client.js'
import {downloadContent} from './contents.js'
import {eachPage} from './pages.js'
import {commonHeaders, createSender, type SenderOptions} from './request.js'

/** Sends requests to a file service and interprets its responses. Local files and trees belong to ../transfer. */

/**
 * A client for the service at a base URL. Retries if `retrying` is given, follows no redirects, and sends the token
 * only to the service's own origin. `waits` tracks long lists. Changes pass the `gates`, the last one first; `observe`
 * wraps the client below them. Throws `SetupError` for a URL that would expose the token.
 */
export function createClient(
  options: SenderOptions & {
    readonly gates?: readonly ChangeGate[]
    readonly observe?: (client: Client) => Client
    readonly waits?: Pick<Waits, 'series'>
  },
): Client {
  const sender = createSender(options)
  const {baseUrl} = sender
  const {gates = [], observe = client => client} = options
  const aPage: TimedStep =
    options.waits?.series(() => `the rest of a list from ${new URL(baseUrl).host}`) ??
    (work => work())
  const client: Client = {
    call: (id, input) => callOperation(sender, id, input),
    download: (id, input, range) => downloadContent(sender, id, input, range),
    pages: (id, input) =>
      eachPage(params => aPage(() => callOperation(sender, id, {...input, params})), input.params),
    prepare(id, input) {
      const {upload, isWhole, body} = input
      const isInSession = upload && !isWhole && needsSession(upload.size)
      const type = isInSession ? 'resumable' : upload && chooseUpload(body)
      const {content, ...planned} = plannedRequest(baseUrl, sender.operation(id), input, type)
      return {...planned, headers: {...commonHeaders(content), ...planned.headers}}
    },
    operation: id => sender.operation(id),
    batch: createBatches(sender, options.now ?? Date.now),
    proven: () => sender.whenProven(),
    uploads: createSessions(sender),
    openAhead(count) {
      // The request that needs a connection reports its errors.
      options.agents?.openAhead(new URL(baseUrl), count).catch(() => undefined)
    },
    persist: (work, attempts) =>
      sender.retry({repeat: 'safe', persistent: true, attempts}, (_, progressed) =>
        work(progressed),
      ),
  }
  return gates.reduce(withGate, observe(client))
}
