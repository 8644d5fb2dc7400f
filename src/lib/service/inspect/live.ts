import {Readable} from 'node:stream'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {Html} from '#lib/service/oauth/pages/html.js'
import type {RequestLog} from '#lib/service/request-log/request-log.js'
import {readFilter} from './request-filter.js'
import {entriesAfter, type NumberedEntry} from './requests-page.js'

/** New requests as server-sent events, for the list of requests. */

/** Milliseconds between two comments that keep the connection open. */
const HEARTBEAT = 15_000

/** The streams of one service. */
export interface LiveRequests {
  /** Returns the stream of requests after a position: those of the filter, as rows, the newest first. */
  stream(url: URL, lastEventId: string | undefined): ServiceResponse
  /** Ends all streams. */
  close(): void
}

export function createLiveRequests(
  requestLog: RequestLog,
  row: (entry: NumberedEntry) => Html,
): LiveRequests {
  const open = new Set<Readable>()
  return {
    stream(url, lastEventId) {
      const {isShown} = readFilter(url.searchParams)
      const start = Number(lastEventId ?? url.searchParams.get('after'))
      let position = Number.isSafeInteger(start) && start >= 0 ? start : 0
      let isWaiting = false
      const stream = new Readable({read: () => undefined})
      const send = () => {
        isWaiting = false
        if (stream.destroyed || stream.readableEnded) return
        const page = entriesAfter(requestLog, position)
        position = page.position
        const shown = page.entries.filter(({entry}) => isShown(entry)).reverse()
        if (shown.length === 0) return
        const text = shown.map(entry => row(entry).html.replace(/\s+/g, ' ')).join('')
        stream.push(`id: ${position}\ndata: ${text}\n\n`)
      }
      // Many requests in one turn of the event loop are sent together.
      const unlisten = requestLog.listen(() => {
        if (!isWaiting) setImmediate(send)
        isWaiting = true
      })
      const timer = setInterval(() => stream.push(':\n\n'), HEARTBEAT)
      timer.unref()
      stream.push('retry: 2000\n\n')
      send()
      open.add(stream)
      stream.once('close', () => {
        clearInterval(timer)
        unlisten()
        open.delete(stream)
      })
      return {
        status: 200,
        headers: {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store'},
        body: stream,
      }
    },
    close() {
      for (const stream of open) stream.push(null)
    },
  }
}
