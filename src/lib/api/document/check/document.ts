import {parseUrl, quoteText} from '#lib/platform/values.js'
import {methods, resources} from './methods.js'
import {parameter, topSchema} from './schemas.js'
import {
  below,
  checkBelowRoot,
  type CheckedValue,
  flagShape,
  listShape,
  map,
  type Members,
  objectShape,
  oneOf,
  reportBreach,
  reportWarning,
  textIn,
  textShape,
  textThat,
} from './shape.js'

/** The top level (spec: description-format.md, "Top-level object"; reference: section 1). */

const address = textThat((value, spot) => {
  if (isAddress(value)) return
  reportBreach(spot, 'address', `Must be an http or https URL, not ${quoteText(value)}.`)
})

const rootUrl = textThat((value, spot) => {
  if (isAddress(value) && /^[^?#]*\/$/.test(value)) return
  const words = 'an http or https URL that ends with a slash'
  reportBreach(spot, 'root-url', `Must be ${words}, not ${quoteText(value)}.`)
})

const servicePath = textThat((value, spot) => {
  checkBelowRoot(spot, value)
  if (value === '' || (value.endsWith('/') && !value.startsWith('/'))) return
  const words = 'empty, or a path that ends with a slash and does not start with one'
  reportBreach(spot, 'service-path', `Must be ${words}, not ${quoteText(value)}.`)
})

const batchPath = textThat((value, spot) => {
  checkBelowRoot(spot, value)
  if (value !== 'batch')
    reportWarning(spot, 'batch-path', `The usual path is batch, not ${quoteText(value)}.`)
})

const discoveryVersion = textThat((value, spot) => {
  if (value === 'v1') return
  reportWarning(spot, 'discovery-version', `The known version is v1, not ${quoteText(value)}.`)
})

const LABELS = ['limited_availability', 'deprecated']

const label = textThat((value, spot) => {
  if (LABELS.includes(value)) return
  reportWarning(
    spot,
    'label',
    `Unknown label ${quoteText(value)}. Known labels: ${LABELS.join(', ')}.`,
  )
})

const scope = objectShape({description: textShape}, {expected: ['description']})

export const document = objectShape(
  {
    kind: oneOf('discovery#restDescription'),
    discoveryVersion,
    id: textShape,
    name: textShape,
    canonicalName: textShape,
    version: textShape,
    revision: textShape,
    title: textShape,
    description: textShape,
    icons: objectShape({x16: address, x32: address}, {expected: ['x16', 'x32']}),
    documentationLink: address,
    labels: listShape(label),
    protocol: oneOf('rest'),
    baseUrl: textShape,
    basePath: textShape,
    rootUrl,
    servicePath,
    batchPath,
    endpoints: listShape(
      objectShape(
        {endpointUrl: address, location: textShape, description: textShape, deprecated: flagShape},
        {expected: ['endpointUrl']},
      ),
    ),
    parameters: map(parameter),
    auth: objectShape(
      {oauth2: objectShape({scopes: map(scope)}, {expected: ['scopes']})},
      {expected: ['oauth2']},
    ),
    features: listShape(textShape),
    schemas: map(topSchema),
    methods,
    resources,
  },
  {
    needed: ['kind', 'rootUrl', 'servicePath'],
    expected: [
      ...['discoveryVersion', 'id', 'name', 'canonicalName', 'version', 'revision', 'title'],
      ...['description', 'icons', 'documentationLink', 'labels', 'protocol', 'batchPath'],
      ...['parameters', 'auth', 'features', 'schemas', 'resources'],
    ],
    rules: [idForm, oldAddresses],
  },
)

/** The id must be NAME:VERSION, such as `drive:v2`. */
function idForm({id, name, version}: Members, spot: CheckedValue): void {
  const given = textIn(id)
  if (given === undefined) return
  const both = textIn(name) && textIn(version) ? `${textIn(name)}:${textIn(version)}` : undefined
  if (both === undefined ? /^[^:]+:[^:]+$/.test(given) : given === both) return
  const words = both === undefined ? 'name:version' : `${quoteText(both)} (name:version)`
  reportBreach(below(spot, 'id'), 'id-form', `Must be ${words}, not ${quoteText(given)}.`)
}

/** `baseUrl` and `basePath` are replaced by `rootUrl` and `servicePath`, and must agree with them. */
function oldAddresses({baseUrl, basePath, ...all}: Members, spot: CheckedValue): void {
  const [root, path] = [textIn(all.rootUrl), textIn(all.servicePath)]
  if (root === undefined || path === undefined) return
  const expected = {baseUrl: [baseUrl, root + path], basePath: [basePath, `/${path}`]}
  for (const [name, [given, due]] of Object.entries(expected)) {
    if (typeof given !== 'string' || given === due) continue
    const words = `Must agree with rootUrl and servicePath (${quoteText(String(due))})`
    reportWarning(below(spot, name), 'old-address', `${words}, but is ${quoteText(given)}.`)
  }
}

function isAddress(value: string): boolean {
  return parseUrl(value) !== undefined && /^https?:\/\//i.test(value)
}
