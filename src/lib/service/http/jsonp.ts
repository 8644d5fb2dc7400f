import type {ServiceResponse} from './message.js'

/** JSON as a script, for web pages that cannot read it from here (reference: operations.md, parameter `callback`). */

/** The function that a query names, as `app.show`; `undefined` where it names none that a script can call. */
export function wantedCallback(query: URLSearchParams): string | undefined {
  const name = query.getAll('callback').at(-1)
  return name !== undefined && callbackProblem(name) === undefined ? name : undefined
}

/** Why a text names no function; fits behind the parameter's name. */
export function callbackProblem(text: string): string | undefined {
  return /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(text)
    ? undefined
    : 'must be a name such as app.show'
}

/** An answer in JSON as a script that hands it to `callback`; as it is without one. */
export function asScript(response: ServiceResponse, callback: string | undefined): ServiceResponse {
  const {headers, body} = response
  if (callback === undefined || typeof body !== 'string') return response
  // In older scripts these two end a line, even within a string.
  const json = body.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return {
    ...response,
    headers: {...headers, 'Content-Type': 'text/javascript; charset=UTF-8'},
    // The comment keeps the first bytes out of the caller's hands, who might make another format of them.
    body: `// API callback\n${callback}(${json});`,
  }
}
