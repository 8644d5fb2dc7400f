import {shown} from '#lib/api/validate.js'
import {parameter, reference} from './schemas.js'
import {flag, list, map, object, oneOf, type Shape, text, textThat} from './shape.js'
import {below, breach, checkBelowRoot, element, remark, type Spot} from './spot.js'
import {isTemplate, namesIn} from './templates.js'
import {mediaUpload, uploadPaths, uploadSupport} from './uploads.js'
import {type Members, membersIn, textIn, textsIn} from './values.js'

/** Methods and resources (spec: description-format.md, "Method object"; reference: sections 4 and 8). */

const path = textThat((value, spot) => {
  checkBelowRoot(spot, spot.facts.servicePath + value)
  if (isTemplate(value)) return
  breach(spot, 'path-template', `This is no URI template: ${shown(value)}.`)
})

const flatPath = textThat((value, spot) => {
  if (isTemplate(value) && !/\{\W/.test(value)) return
  breach(spot, 'flat-path', `Only plain names may stand in braces here: ${shown(value)}.`)
})

const scope = textThat((value, spot) => {
  if (spot.facts.scopes.has(value)) return
  remark(spot, 'scope-declared', `The scope ${shown(value)} is not among those of auth.`)
})

const method = object(
  {
    id: text,
    path,
    flatPath,
    httpMethod: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    description: text,
    deprecated: flag,
    parameters: map(parameter),
    parameterOrder: list(text),
    request: object({$ref: reference, parameterName: text}, {needed: ['$ref']}),
    response: object({$ref: reference}, {needed: ['$ref']}),
    scopes: list(scope),
    supportsMediaDownload: flag,
    useMediaDownloadService: flag,
    supportsMediaUpload: flag,
    mediaUpload,
    supportsSubscription: flag,
    apiVersion: text,
    etagRequired: flag,
  },
  {
    needed: ['path', 'httpMethod'],
    expected: ['id'],
    rules: [methodId, pathParameters, parameterOrder, uploadSupport, uploadPaths],
  },
)

export const methods = map(method)

const resource: Shape = object({
  methods,
  deprecated: flag,
  // It holds others of its kind.
  resources: (value, spot) => resources(value, spot),
})

export const resources = map(resource)

/** An id is that of the method's place in the tree, and so belongs to no other method. */
function methodId({id}: Members, spot: Spot): void {
  const {methods: known, treeIds} = spot.facts
  if (typeof id !== 'string') return
  const at = below(spot, 'id')
  const first = known.get(id)
  if (first !== spot.place) {
    breach(at, 'method-id-unique', `The id ${shown(id)} is already that of ${first}.`)
  }
  const due = treeIds.get(spot.place)
  if (due !== undefined && id !== due) {
    breach(at, 'method-id', `The id is ${shown(id)}, but by its place it is ${shown(due)}.`)
  }
}

/** What a path names in braces are the required parameters that go in the path, and the reverse. */
function pathParameters(members: Members, spot: Spot): void {
  const template = textIn(members.path)
  if (template === undefined || !isTemplate(template)) return
  const named = new Set(namesIn(template))
  const parameters = membersIn(members.parameters)
  const at = below(spot, 'parameters')
  const tell = (name: string, words: string) => breach(below(at, name), 'path-parameters', words)
  for (const name of named) {
    if (!Object.hasOwn(parameters, name))
      tell(name, 'The path names it, but the method does not have it.')
  }
  for (const [name, schema] of Object.entries(parameters)) {
    const {location, required} = membersIn(schema)
    if (named.has(name) && location === 'query') {
      tell(name, 'The path names it, so that its location must be path.')
    }
    if (!named.has(name) && location === 'path') {
      tell(name, 'Its location is path, but the path does not name it.')
    }
    if (named.has(name) && location === 'path' && required !== true) {
      tell(name, 'The path names it, so that it must be required.')
    }
  }
}

function parameterOrder(members: Members, spot: Spot): void {
  if (!Array.isArray(members.parameterOrder)) return
  const parameters = membersIn(members.parameters)
  // Sets, as a document made to annoy has very many of both.
  const required = new Set(
    Object.keys(parameters).filter(name => membersIn(parameters[name]).required === true),
  )
  const at = below(spot, 'parameterOrder')
  const order: readonly unknown[] = members.parameterOrder
  for (const [index, name] of order.entries()) {
    if (typeof name !== 'string' || required.has(name)) continue
    breach(element(at, index), 'parameter-order', `There is no required parameter ${shown(name)}.`)
  }
  const ordered = new Set(textsIn(order))
  const left = [...required].filter(name => !ordered.has(name))
  if (left.length > 0) {
    remark(at, 'parameter-order', `It leaves out what is required: ${left.join(', ')}.`)
  }
}
