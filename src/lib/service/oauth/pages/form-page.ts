import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {
  asUnreadableRequest,
  readParameters,
  UnreadableRequest,
} from '#lib/service/oauth/endpoints/request-parameters.js'
import {foreignForm} from './browser-session.js'
import {type FormProblem, refusalPage} from './layout.js'

/** The query parameters of a URL, or the fields of a form. */
export type FormValues = ReadonlyMap<string, string>

/** A page with a form that posts to the URL of the page. */
interface FormPage<Input extends OauthCall> {
  /** Validates the values. Returns the input of the page, or the response that refuses it. */
  read(call: OauthCall, values: FormValues): Input | ServiceResponse
  /** Returns the page with the form, and the problem of the submitted form, if any. */
  question(input: Input, problem?: FormProblem): ServiceResponse
  /** Responds to GET instead of `question`. */
  show?(input: Input): ServiceResponse
  /** Handles the submitted form. A returned problem shows the form again. */
  decide(input: Input, form: FormValues): ServiceResponse | FormProblem
}

/** Returns the GET and POST endpoints of such a page. Refuses unreadable forms, and forms that do not come from this browser. */
export function formPage<Input extends OauthCall>({
  read,
  question,
  show = question,
  decide,
}: FormPage<Input>) {
  return {
    GET(call: OauthCall): ServiceResponse {
      // The first value of a repeated parameter wins, so the order is reversed for the map.
      const input = read(call, new Map([...call.request.url.searchParams].reverse()))
      return 'status' in input ? input : show(input)
    },
    async POST(call: OauthCall): Promise<ServiceResponse> {
      const form = await readParameters(call.request).catch(asUnreadableRequest)
      if (form instanceof UnreadableRequest) {
        return refusalPage(form.status, 'Invalid form', form.message)
      }
      const input = read(call, form)
      if ('status' in input) return input
      const result = foreignForm(call, form) ?? decide(input, form)
      return 'problem' in result ? question(input, result) : result
    },
  }
}
