import {
  isMutating,
  isOperationId,
  type Operation,
  operation,
  pathParameters,
  propertiesOf,
} from '#lib/api/operations.js'
import {bodyIdProblems, idProblem, pathProblem} from '#lib/api/path-values.js'
import {segmentProblem} from '#lib/api/url-paths.js'
import {bodyProblems, parameterProblem, quoteText} from '#lib/api/validate.js'
import {destroys, type Effect} from '#lib/cli/guard/destroys.js'
import type {CallInput, Page} from '#lib/client/client.js'
import {requestUrl, TOKEN_PARAMETERS} from '#lib/client/url.js'
import {reversalOf} from '#lib/history/reverse.js'
import {ownProperty} from '#lib/platform/values.js'
import type {PlanStep} from './format.js'

/** Checks the request of a step against the description. Pure. A reason completes a sentence: `Line 2 … has no fileId`. */

/** Parameters that drv sets itself, or that carry credentials. */
const REFUSED: ReadonlySet<string> = new Set([
  ...TOKEN_PARAMETERS,
  'alt',
  'callback',
  'key',
  'upload_protocol',
  'uploadType',
])

/** Any URL: it only serves to check whether the request can be built. */
const BASE = 'http://localhost'

/** The effect of a request; the plan cannot claim less. */
export function requestEffect(
  id: PlanStep['operation'] & string,
  input: Pick<CallInput, 'params' | 'body'>,
): Exclude<Effect, 'reads'> {
  const isDestroyed = destroys(id, input)
  if (isDestroyed === undefined) return 'may destroy'
  return isDestroyed ? 'destroys' : 'changes'
}

/** Why the request of a step is invalid; `undefined` if it is valid. */
export function requestProblem(step: PlanStep): string | undefined {
  const {operation: id = '', params = {}, body, local, output, before} = step
  if (!isOperationId(id)) return `has the unknown operation ${quoteText(id)}`
  const described = operation(id)
  const isDownload = described.supportsMediaDownload === true && !isMutating(described)
  if (output && !isDownload) return `has an output, but ${id} downloads nothing`
  if (isDownload && !output) return `has the operation ${id}, but no output`
  if (!isDownload && !isMutating(described)) return `has the operation ${id}, which changes nothing`
  if (local && !described.mediaUpload) return `has local content, but ${id} accepts none`
  return (
    parameterProblems(described, params) ??
    bodyProblem(described, body) ??
    (before && beforeProblem(described, step, before)) ??
    effectProblem(step, requestEffect(id, {params, ...(body && {body})})) ??
    urlProblem(described, params, local !== undefined)
  )
}

function parameterProblems(described: Operation, params: CallInput['params']): string | undefined {
  const {operationId, parameters, document} = described
  const inPath = pathParameters(described)
  for (const [name, value] of Object.entries(params)) {
    const own = ownProperty(parameters, name)
    const schema = own ?? ownProperty(document.parameters, name)
    if (!schema || REFUSED.has(name)) {
      return `has the parameter ${quoteText(name)}, which ${operationId} does not accept`
    }
    if (Array.isArray(value) && !schema.repeated) return `has several values for ${quoteText(name)}`
    for (const text of [value].flat()) {
      const problem =
        parameterProblem(name, schema, text)?.text ??
        (inPath.includes(name) ? segmentReason(described, name, text) : idReason(name, text))
      if (problem !== undefined) return `has an invalid request: ${name} ${problem}`
    }
  }
  const isMissing = (name: string) => ownProperty(params, name) === undefined
  const required = Object.keys(parameters).filter(name => parameters[name]!.required)
  const missing = [...inPath, ...required].find(isMissing)
  return missing === undefined ? undefined : `has no ${missing}, which ${operationId} requires`
}

/** Why a value leaves its path segment. Only keys of properties may contain a slash. */
function segmentReason(described: Operation, name: string, text: string): string | undefined {
  const whole = name === 'propertyKey' ? undefined : segmentProblem(text)
  return whole ?? pathProblem(described, name, text)?.text
}

/** Why a value cannot be an ID that a later request puts into a path. */
function idReason(name: string, text: string): string | undefined {
  const isOfParents = name === 'addParents' || name === 'removeParents'
  const ids = isOfParents ? text.split(',') : [text]
  for (const id of ids) {
    const problem = idProblem(isOfParents ? 'fileId' : name, id)
    if (problem) return problem.text
  }
  return undefined
}

function bodyProblem(described: Operation, body: PlanStep['body']): string | undefined {
  if (!described.request) {
    return body && `has a body, but ${described.operationId} accepts none`
  }
  const [problem] = [...bodyProblems(described, body ?? {}), ...bodyIdProblems(described, body)]
  if (!problem) return undefined
  const name = problem.at === '' ? 'body' : `body.${problem.at}`
  return `has an invalid request: ${name} ${problem.text}`
}

/** Why the fields before the change cannot be those of its item. */
function beforeProblem(
  {operationId}: Operation,
  {params = {}, body = {}}: PlanStep,
  before: Page,
): string | undefined {
  const read = reversalOf(operationId)?.before?.({params, body})
  const {response, document} = operation(read?.id ?? operationId)
  const known = read && response ? propertiesOf(response, document.schemas) : {}
  const other = Object.keys(before).find(name => !Object.hasOwn(known, name))
  return (
    other && `has the field ${quoteText(`before.${other}`)}, which ${operationId} does not change`
  )
}

const RANKS = ['changes', 'may destroy', 'destroys']

function effectProblem(
  {effect, operation: id}: PlanStep,
  real: Exclude<Effect, 'reads'>,
): string | undefined {
  if (RANKS.indexOf(effect) >= RANKS.indexOf(real)) return undefined
  return `has the effect ${quoteText(effect)}, but the effect of ${id} is ${quoteText(real)}`
}

/** Whether the client would refuse to build the request, for a reason that the checks above do not know. */
function urlProblem(
  described: Operation,
  params: CallInput['params'],
  hasContent: boolean,
): string | undefined {
  try {
    requestUrl(BASE, described, params, hasContent ? 'resumable' : undefined)
    return undefined
  } catch (error) {
    return `has an invalid request: ${(error as Error).message.replace(/\.$/, '')}`
  }
}
