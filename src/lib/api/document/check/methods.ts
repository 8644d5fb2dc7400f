import {parseMaxSize} from '#lib/api/document/formats.js'
import {quoteText} from '#lib/platform/values.js'
import {parameter, referenceShape} from './schemas.js'
import {
  below,
  checkBelowRoot,
  type CheckedValue,
  element,
  flagShape,
  listShape,
  map,
  type Members,
  membersIn,
  objectShape,
  oneOf,
  reportBreach,
  reportWarning,
  type Shape,
  textIn,
  textShape,
  textsIn,
  textThat,
} from './shape.js'

/** The uploads of a method (spec: description-format.md, "mediaUpload"; reference: section 6). */

const mediaRange = textThat((value, spot) => {
  if (/^(\*\/\*|[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+))$/.test(value)) return
  reportBreach(
    spot,
    'media-range',
    `Must be a media range such as image/*, not ${quoteText(value)}.`,
  )
})

const maxSize = textThat((value, spot) => {
  if (parseMaxSize(value) === undefined) {
    reportBreach(
      spot,
      'max-size',
      `Must be a size such as 1MB, 2GB or 3TB, not ${quoteText(value)}.`,
    )
  } else if (!/B$/i.test(value))
    reportWarning(spot, 'max-size', 'Has no unit; clients assume bytes.')
})

const uploadPath = textThat((value, spot) => checkBelowRoot(spot, value))

const protocol = objectShape(
  {multipart: flagShape, path: uploadPath},
  {needed: ['path'], expected: ['multipart']},
)

const protocols = objectShape({simple: protocol, resumable: protocol}, {rules: [someProtocol]})

const mediaUpload = objectShape(
  {accept: listShape(mediaRange), maxSize, protocols},
  {needed: ['protocols'], expected: ['accept']},
)

function someProtocol({simple, resumable}: Members, spot: CheckedValue): void {
  if (simple !== undefined || resumable !== undefined) return
  reportBreach(spot, 'upload-protocol', 'Must have the field "simple" or "resumable".')
}

/** Methods and resources (spec: description-format.md, "Method object"; reference: sections 4 and 8). */

const path = textThat((value, spot) => {
  checkBelowRoot(spot, spot.facts.servicePath + value)
  if (isTemplate(value)) return
  reportBreach(spot, 'path-template', `Invalid URI template: ${quoteText(value)}.`)
})

const flatPath = textThat((value, spot) => {
  if (isTemplate(value) && !/\{\W/.test(value)) return
  reportBreach(spot, 'flat-path', `Braces may contain only plain names here: ${quoteText(value)}.`)
})

const scope = textThat((value, spot) => {
  if (spot.facts.scopes.has(value)) return
  reportWarning(spot, 'scope-declared', `The scope ${quoteText(value)} is not declared in auth.`)
})

const method = objectShape(
  {
    id: textShape,
    path,
    flatPath,
    httpMethod: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    description: textShape,
    deprecated: flagShape,
    parameters: map(parameter),
    parameterOrder: listShape(textShape),
    request: objectShape({$ref: referenceShape, parameterName: textShape}, {needed: ['$ref']}),
    response: objectShape({$ref: referenceShape}, {needed: ['$ref']}),
    scopes: listShape(scope),
    supportsMediaDownload: flagShape,
    useMediaDownloadService: flagShape,
    supportsMediaUpload: flagShape,
    mediaUpload,
    supportsSubscription: flagShape,
    apiVersion: textShape,
    etagRequired: flagShape,
  },
  {
    needed: ['path', 'httpMethod'],
    expected: ['id'],
    rules: [methodId, pathParameters, parameterOrder, uploadSupport, uploadPaths],
  },
)

export const methods = map(method)

const resource: Shape = objectShape({
  methods,
  deprecated: flagShape,
  // Called later, because resources contain resources.
  resources: (value, spot) => resources(value, spot),
})

export const resources = map(resource)

/** The id must follow from the method's place in the tree, and be unique. */
function methodId({id}: Members, spot: CheckedValue): void {
  const {methods: known, treeIds} = spot.facts
  if (typeof id !== 'string') return
  const at = below(spot, 'id')
  const first = known.get(id)
  if (first !== spot.place) {
    reportBreach(at, 'method-id-unique', `The id ${quoteText(id)} is already used by ${first}.`)
  }
  const due = treeIds.get(spot.place)
  if (due !== undefined && id !== due) {
    reportBreach(
      at,
      'method-id',
      `The id must be ${quoteText(due)} at this position, not ${quoteText(id)}.`,
    )
  }
}

/** The names in the path's braces must be exactly the required path parameters. */
function pathParameters(members: Members, spot: CheckedValue): void {
  const template = textIn(members.path)
  if (template === undefined || !isTemplate(template)) return
  const named = new Set(namesIn(template))
  const parameters = membersIn(members.parameters)
  const at = below(spot, 'parameters')
  const tell = (name: string, words: string) =>
    reportBreach(below(at, name), 'path-parameters', words)
  for (const name of named) {
    if (!Object.hasOwn(parameters, name))
      tell(name, 'The path names this parameter, but the method does not define it.')
  }
  for (const [name, schema] of Object.entries(parameters)) {
    const {location, required} = membersIn(schema)
    if (named.has(name) && location === 'query') {
      tell(name, 'The path names this parameter, so its location must be path.')
    }
    if (!named.has(name) && location === 'path') {
      tell(name, 'The location is path, but the path does not name this parameter.')
    }
    if (named.has(name) && location === 'path' && required !== true) {
      tell(name, 'The path names this parameter, so it must be required.')
    }
  }
}

function parameterOrder(members: Members, spot: CheckedValue): void {
  if (!Array.isArray(members.parameterOrder)) return
  const parameters = membersIn(members.parameters)
  // Sets, because a malicious document may have very many of both.
  const required = new Set(
    Object.keys(parameters).filter(name => membersIn(parameters[name]).required === true),
  )
  const at = below(spot, 'parameterOrder')
  const order: readonly unknown[] = members.parameterOrder
  for (const [index, name] of order.entries()) {
    if (typeof name !== 'string' || required.has(name)) continue
    reportBreach(
      element(at, index),
      'parameter-order',
      `No required parameter is named ${quoteText(name)}.`,
    )
  }
  const ordered = new Set(textsIn(order))
  const left = [...required].filter(name => !ordered.has(name))
  if (left.length > 0) {
    reportWarning(at, 'parameter-order', `Required parameters are missing: ${left.join(', ')}.`)
  }
}

/** `supportsMediaUpload` and `mediaUpload` must come together. */
function uploadSupport({supportsMediaUpload, mediaUpload}: Members, spot: CheckedValue): void {
  if (supportsMediaUpload === true && mediaUpload === undefined) {
    reportBreach(
      below(spot, 'mediaUpload'),
      'media-upload',
      'Missing, although uploads are supported.',
    )
  }
  if (supportsMediaUpload !== true && mediaUpload !== undefined) {
    const tell = supportsMediaUpload === undefined ? reportWarning : reportBreach
    const words = 'Must be true, because mediaUpload describes uploads.'
    tell(below(spot, 'supportsMediaUpload'), 'media-upload', words)
  }
}

/** An upload path must start at the root, and name the same parameters as the method's path. */
function uploadPaths({path, mediaUpload}: Members, spot: CheckedValue): void {
  const at = below(below(spot, 'mediaUpload'), 'protocols')
  const given = membersIn(membersIn(mediaUpload).protocols)
  const due = sortedNames(textIn(path) ?? '')
  for (const [name, facts] of Object.entries(given)) {
    const upload = textIn(membersIn(facts).path)
    if (upload === undefined) continue
    const place = below(below(at, name), 'path')
    if (!upload.startsWith('/')) {
      reportBreach(place, 'upload-path', `Must start with a slash: ${quoteText(upload)}.`)
    }
    if (typeof path === 'string' && (!isTemplate(upload) || sortedNames(upload) !== due)) {
      reportBreach(place, 'upload-names', "Must name the same parameters as the method's path.")
    }
  }
}

function sortedNames(template: string): string {
  return namesIn(template).sort().join()
}

/** URI templates in a description (RFC 6570; reference: description-format.md, section 5). */

const EXPRESSION = /\{[+#./;?&]?(\w[\w.$-]*(?:\*|:\d+)?(?:,\w[\w.$-]*(?:\*|:\d+)?)*)\}/g

/** Whether all braces in a text are valid expressions. */
function isTemplate(text: string): boolean {
  return !/[{}]/.test(text.replace(EXPRESSION, ''))
}

/** The names in a template's braces. */
function namesIn(template: string): string[] {
  return [...template.matchAll(EXPRESSION)].flatMap(([, names = '']) =>
    names.split(',').map(name => name.replace(/\*$|:\d+$/, '')),
  )
}
