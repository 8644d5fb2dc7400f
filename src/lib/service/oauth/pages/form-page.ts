import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {
  readParameters,
  unreadable,
  UnreadableRequest,
} from '#lib/service/oauth/endpoints/request-parameters.js'
import {foreignForm} from './browser-session.js'
import {type FormProblem, refusalPage} from './layout.js'

/** The parameters of an address, or the fields of a form. */
export type Values = ReadonlyMap<string, string>

/** A page that asks a person something, with a form that comes back to its own address. */
interface FormPage<Wish extends OauthCall> {
  /** What the values ask for, or the response that refuses it. */
  read(call: OauthCall, values: Values): Wish | ServiceResponse
  /** The page with the form, and with what is wrong with the one that was sent. */
  question(wish: Wish, problem?: FormProblem): ServiceResponse
  /** Answers GET in place of the question. */
  show?(wish: Wish): ServiceResponse
  /** Carries out what the form says; a problem asks the question again. */
  decide(wish: Wish, form: Values): ServiceResponse | FormProblem
}

/** GET and POST of such a page. Nothing is decided by a form that this browser was not given, or that cannot be read. */
export function formPage<Wish extends OauthCall>({
  read,
  question,
  show = question,
  decide,
}: FormPage<Wish>) {
  return {
    GET(call: OauthCall): ServiceResponse {
      // Of a parameter that is given twice the first one counts.
      const wish = read(call, new Map([...call.request.url.searchParams].reverse()))
      return 'status' in wish ? wish : show(wish)
    },
    async POST(call: OauthCall): Promise<ServiceResponse> {
      const form = await readParameters(call.request).catch(unreadable)
      if (form instanceof UnreadableRequest) {
        return refusalPage(form.status, 'The form cannot be read', form.message)
      }
      const wish = read(call, form)
      if ('status' in wish) return wish
      const outcome = foreignForm(call, form) ?? decide(wish, form)
      return 'problem' in outcome ? question(wish, outcome) : outcome
    },
  }
}
