import {JSON_TYPE} from '#lib/api/wire.js'
import {createBatches} from './batch/batch.js'
import {callOperation} from './calls.js'
import type {Client} from './client.js'
import {downloadContent} from './contents.js'
import {eachPage} from './pages.js'
import {readOnlyClient} from './readonly.js'
import {commonHeaders, createSender, type SenderOptions} from './request.js'
import type {Step, Waits} from './transport/waits.js'
import {chooseUpload, needsSession, uploadHeaders} from './upload/outgoing.js'
import {createSessions} from './upload/sessions.js'
import {requestUrl} from './url.js'

/**
 * Requests to a file service, and what their answers mean, live here. Files of this machine and trees
 * belong to ../transfer.
 */

/**
 * The file service at a base address as functions. Faults are tried again where `retrying` is
 * given; redirects are not followed; the token goes to the base address's own origin alone. `waits`
 * hears of lists that go on and on. With `readOnly` what would change something fails with the error
 * that it makes. Throws `SetupError('configuration')` for an address that would carry the token in the
 * open.
 */
export function createClient(
  options: SenderOptions & {
    readonly readOnly?: (what: string) => Error
    readonly waits?: Pick<Waits, 'series'>
  },
): Client {
  const sender = createSender(options)
  const {baseUrl} = sender
  const aPage: Step =
    options.waits?.series(() => `the rest of a list of ${new URL(baseUrl).host}`) ??
    (work => work())
  const client: Client = {
    call: (id, input) => callOperation(sender, id, input),
    download: (id, input, range) => downloadContent(sender, id, input, range),
    pages: (id, input) =>
      eachPage(params => aPage(() => callOperation(sender, id, {...input, params})), input.params),
    prepare(id, {params, body, upload, isWhole}) {
      const method = sender.operation(id)
      const isContent = method.supportsMediaDownload && (!method.response || params.alt === 'media')
      const type =
        upload && (!isWhole && needsSession(upload.size) ? 'resumable' : chooseUpload(body))
      return {
        method: method.httpMethod,
        url: requestUrl(baseUrl, method, params, type),
        headers: {
          ...commonHeaders(Boolean(isContent)),
          ...(upload && type ? uploadHeaders(type, upload) : body && {'content-type': JSON_TYPE}),
        },
        body,
      }
    },
    operation: id => sender.operation(id),
    batch: createBatches(sender, options.now ?? Date.now),
    proven: () => sender.whenProven(),
    uploads: createSessions(sender),
    openAhead(count) {
      // What goes wrong is told to the request that needs a connection.
      options.agents?.openAhead(new URL(baseUrl), count).catch(() => undefined)
    },
    persist: (work, attempts) =>
      sender.retry({repeat: 'safe', persistent: true, attempts}, (_, progressed) =>
        work(progressed),
      ),
  }
  return options.readOnly ? readOnlyClient(client, options.readOnly) : client
}
