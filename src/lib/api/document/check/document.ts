import {parseUrl, shown} from '#lib/platform/values.js'
import {methods, resources} from './methods.js'
import {parameter, topSchema} from './schemas.js'
import {
  below,
  breach,
  checkBelowRoot,
  flag,
  list,
  map,
  type Members,
  object,
  oneOf,
  remark,
  type Spot,
  text,
  textIn,
  textThat,
} from './shape.js'

/** The top level (spec: description-format.md, "Top-level object"; reference: section 1). */

const address = textThat((value, spot) => {
  if (isAddress(value)) return
  breach(spot, 'address', `Must be an http or https URL, not ${shown(value)}.`)
})

const rootUrl = textThat((value, spot) => {
  if (isAddress(value) && /^[^?#]*\/$/.test(value)) return
  const words = 'an http or https URL that ends with a slash'
  breach(spot, 'root-url', `Must be ${words}, not ${shown(value)}.`)
})

const servicePath = textThat((value, spot) => {
  checkBelowRoot(spot, value)
  if (value === '' || (value.endsWith('/') && !value.startsWith('/'))) return
  const words = 'empty, or a path that ends with a slash and does not start with one'
  breach(spot, 'service-path', `Must be ${words}, not ${shown(value)}.`)
})

const batchPath = textThat((value, spot) => {
  checkBelowRoot(spot, value)
  if (value !== 'batch') remark(spot, 'batch-path', `The usual path is batch, not ${shown(value)}.`)
})

const discoveryVersion = textThat((value, spot) => {
  if (value === 'v1') return
  remark(spot, 'discovery-version', `The known version is v1, not ${shown(value)}.`)
})

const LABELS = ['limited_availability', 'deprecated']

const label = textThat((value, spot) => {
  if (LABELS.includes(value)) return
  remark(spot, 'label', `Unknown label ${shown(value)}; known are ${LABELS.join(' and ')}.`)
})

const scope = object({description: text}, {expected: ['description']})

export const document = object(
  {
    kind: oneOf('discovery#restDescription'),
    discoveryVersion,
    id: text,
    name: text,
    canonicalName: text,
    version: text,
    revision: text,
    title: text,
    description: text,
    icons: object({x16: address, x32: address}, {expected: ['x16', 'x32']}),
    documentationLink: address,
    labels: list(label),
    protocol: oneOf('rest'),
    baseUrl: text,
    basePath: text,
    rootUrl,
    servicePath,
    batchPath,
    endpoints: list(
      object(
        {endpointUrl: address, location: text, description: text, deprecated: flag},
        {expected: ['endpointUrl']},
      ),
    ),
    parameters: map(parameter),
    auth: object(
      {oauth2: object({scopes: map(scope)}, {expected: ['scopes']})},
      {expected: ['oauth2']},
    ),
    features: list(text),
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
function idForm({id, name, version}: Members, spot: Spot): void {
  const given = textIn(id)
  if (given === undefined) return
  const both = textIn(name) && textIn(version) ? `${textIn(name)}:${textIn(version)}` : undefined
  if (both === undefined ? /^[^:]+:[^:]+$/.test(given) : given === both) return
  const words = both === undefined ? 'name:version' : `name:version, which is ${shown(both)}`
  breach(below(spot, 'id'), 'id-form', `Must be ${words}, not ${shown(given)}.`)
}

/** `baseUrl` and `basePath` are replaced by `rootUrl` and `servicePath`, and must agree with them. */
function oldAddresses({baseUrl, basePath, ...all}: Members, spot: Spot): void {
  const [root, path] = [textIn(all.rootUrl), textIn(all.servicePath)]
  if (root === undefined || path === undefined) return
  const expected = {baseUrl: [baseUrl, root + path], basePath: [basePath, `/${path}`]}
  for (const [name, [given, due]] of Object.entries(expected)) {
    if (typeof given !== 'string' || given === due) continue
    const words = 'rootUrl and servicePath, which replace it, result in'
    remark(
      below(spot, name),
      'old-address',
      `This is ${shown(given)}; ${words} ${shown(String(due))}.`,
    )
  }
}

function isAddress(value: string): boolean {
  return parseUrl(value) !== undefined && /^https?:\/\//i.test(value)
}
