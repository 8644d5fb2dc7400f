import {once} from 'node:events'
import {type IncomingMessage, request} from 'node:http'
import {text} from 'node:stream/consumers'
import {isObject, parseJson} from '#lib/platform/values.js'
import {CONTROL_HEADER, CONTROL_PATH, ControlError} from './protocol.js'
import type {RunningService} from './running.js'

/** How long a service has to respond, in ms. */
const TIMEOUT = 30_000

/**
 * Sends a command to a running service and returns its response. Throws `ControlError` if the service
 * refuses it, and the system's error if the service cannot be reached.
 */
export async function sendControl(
  {url, secret}: RunningService,
  command: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const sent = request(url + CONTROL_PATH, {
    method: 'POST',
    headers: {[CONTROL_HEADER]: secret, 'content-type': 'application/json'},
    signal: AbortSignal.timeout(TIMEOUT),
    agent: false,
  })
  sent.end(JSON.stringify({...values, command}))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const fields = parseJson(await text(response))
  if (response.statusCode === 200 && isObject(fields)) return fields
  throw new ControlError(isObject(fields) ? String(fields.error) : 'The service did not respond.')
}
