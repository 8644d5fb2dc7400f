import {methodNotAllowed} from '#lib/service/errors.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import {failureResponse} from '#lib/service/http/respond.js'
import {
  asUnreadableRequest,
  readParameters,
  UnreadableRequest,
} from '#lib/service/oauth/endpoints/request-parameters.js'
import {redirect, refusalPage} from '#lib/service/oauth/pages/layout.js'
import type {RequestLog} from '#lib/service/request-log/request-log.js'
import type {Random} from '#lib/service/store/ids.js'
import {applyControls, type Controls, controlsPage} from './controls-page.js'
import {CONTROLS_PATH} from './inspect-page.js'
import {createLiveRequests} from './live.js'
import {EVENTS_PATH} from './live-script.js'
import {requestPage} from './request-page.js'
import {requestRowHtml, requestsPage} from './requests-page.js'
import {createInspectSessions, INSPECT_PATH, isOwnForm} from './sessions.js'

/** The pages of the inspector, for the owner of the data directory. Their requests are not recorded. */
export interface ServiceInspector {
  /** Returns the path of a link that opens the inspector once. */
  link(): string
  /** Responds to a request for the inspector; `undefined` for other paths. */
  respond(request: ServiceRequest): Promise<ServiceResponse | undefined>
  /** Ends all streams. */
  close(): void
}

interface InspectorOptions extends Controls {
  readonly random: Random
  readonly requestLog: RequestLog
  /** Logs an internal error. */
  readonly log: (error: unknown) => void
}

export function createServiceInspector({
  random,
  requestLog,
  log,
  ...controls
}: InspectorOptions): ServiceInspector {
  const sessions = createInspectSessions(random, () => performance.now())
  const live = createLiveRequests(requestLog, requestRowHtml)

  async function answer(request: ServiceRequest): Promise<ServiceResponse> {
    const {method, url, headers} = request
    const code = url.searchParams.get('code')
    if (method === 'GET' && url.pathname === INSPECT_PATH && code !== null) {
      const cookie = sessions.open(code, request)
      return cookie === undefined ? SIGNED_OUT : redirect(INSPECT_PATH, {'Set-Cookie': cookie})
    }
    const formToken = sessions.formToken(request)
    if (formToken === undefined) return SIGNED_OUT
    if (method === 'POST' && url.pathname === CONTROLS_PATH) return control(request, formToken)
    if (method !== 'GET') throw methodNotAllowed('This path supports GET only.', ['GET'])
    const [, number] = /^\/inspect\/requests\/(\d{1,15})$/.exec(url.pathname) ?? []
    if (number !== undefined) return requestPage(requestLog, Number(number))
    switch (url.pathname) {
      case INSPECT_PATH:
        return requestsPage(requestLog, url)
      case EVENTS_PATH:
        return live.stream(url, headers['last-event-id'])
      case CONTROLS_PATH:
        return controlsPage(controls, formToken)
      default:
        return refusalPage(404, 'Page not found', 'The inspector has no such page.')
    }
  }

  async function control(request: ServiceRequest, formToken: string): Promise<ServiceResponse> {
    const form = await readParameters(request).catch(asUnreadableRequest)
    if (form instanceof UnreadableRequest) {
      return refusalPage(form.status, 'Invalid form', form.message)
    }
    if (!isOwnForm(request, form, formToken)) {
      return refusalPage(
        403,
        'Invalid form',
        'The form was sent from another site, or the page is out of date. Submit the form again.',
      )
    }
    return controlsPage(controls, formToken, await applyControls(controls, form), form)
  }

  return {
    link: () => `${INSPECT_PATH}?code=${sessions.newCode()}`,
    async respond(request) {
      const {pathname} = request.url
      if (pathname !== INSPECT_PATH && !pathname.startsWith(`${INSPECT_PATH}/`)) return undefined
      return answer(request).catch((error: unknown) => failureResponse(error, log))
    },
    close: live.close,
  }
}

const SIGNED_OUT = refusalPage(
  403,
  'Inspector',
  'Run `drv local inspect` to get a link to this page. Each link works once, within 5 minutes.',
)
