import {isObject, parseJson} from '#lib/platform/values.js'
import {readBody, type ServiceRequest, type ServiceResponse} from '#lib/service/http/message.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import {isSecret, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Random} from '#lib/service/store/ids.js'
import {CONTROL_HEADER, CONTROL_PATH, ControlError} from './protocol.js'

/**
 * Requests of the owner of the data directory to the running service, such as moving its clock. They
 * prove with a secret from the data directory that they come from there (`running.ts`).
 */

type Values = Readonly<Record<string, unknown>>

/** The commands by name, each with JSON values from the request and for the response. */
export type ControlCommands = Readonly<Record<string, (values: Values) => Values | Promise<Values>>>

/** The control of one service. */
export interface Control {
  readonly secret: string
  /** Responds to a control request; `undefined` for other requests. */
  respond(request: ServiceRequest): Promise<ServiceResponse | undefined>
}

export function createControl(random: Random, commands: ControlCommands): Control {
  const secret = random(24).toString('base64url')
  const hash = secretHash(secret)
  return {
    secret,
    async respond({method, url, headers, body}) {
      const shown = headers[CONTROL_HEADER]
      if (url.pathname !== CONTROL_PATH || method !== 'POST' || shown === undefined)
        return undefined
      if (!isSecret(shown, hash)) return undefined
      const values = parseJson((await readBody(body)).toString())
      const name = isObject(values) ? values.command : undefined
      if (!isObject(values) || typeof name !== 'string' || !Object.hasOwn(commands, name)) {
        return jsonResponse(400, {error: 'Unknown command.'})
      }
      try {
        return jsonResponse(200, await commands[name]!(values))
      } catch (error) {
        if (!(error instanceof ControlError)) throw error
        return jsonResponse(409, {error: error.message})
      }
    },
  }
}
