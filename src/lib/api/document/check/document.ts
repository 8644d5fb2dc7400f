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
  breach(spot, 'address', `This must be an http or https address, not ${shown(value)}.`)
})

const rootUrl = textThat((value, spot) => {
  if (isAddress(value) && /^[^?#]*\/$/.test(value)) return
  const words = 'an http or https address with a slash at its end'
  breach(spot, 'root-url', `This must be ${words}, not ${shown(value)}.`)
})

const servicePath = textThat((value, spot) => {
  checkBelowRoot(spot, value)
  if (value === '' || (value.endsWith('/') && !value.startsWith('/'))) return
  const words = 'empty, or a path with a slash at its end and none at its start'
  breach(spot, 'service-path', `This must be ${words}, not ${shown(value)}.`)
})

const batchPath = textThat((value, spot) => {
  checkBelowRoot(spot, value)
  if (value !== 'batch') remark(spot, 'batch-path', `The usual path is batch, not ${shown(value)}.`)
})

const discoveryVersion = textThat((value, spot) => {
  if (value === 'v1') return
  remark(spot, 'discovery-version', `This is known of version v1, not of ${shown(value)}.`)
})

const LABELS = ['limited_availability', 'deprecated']

const label = textThat((value, spot) => {
  if (LABELS.includes(value)) return
  remark(spot, 'label', `Known labels are ${LABELS.join(' and ')}; ${shown(value)} is none.`)
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

/** `drive:v2` */
function idForm({id, name, version}: Members, spot: Spot): void {
  const given = textIn(id)
  if (given === undefined) return
  const both = textIn(name) && textIn(version) ? `${textIn(name)}:${textIn(version)}` : undefined
  if (both === undefined ? /^[^:]+:[^:]+$/.test(given) : given === both) return
  const words = both === undefined ? 'name:version' : `name:version, which is ${shown(both)}`
  breach(below(spot, 'id'), 'id-form', `This must be ${words}, not ${shown(given)}.`)
}

/** `baseUrl` and `basePath` follow from what has taken their place; who still reads them goes elsewhere. */
function oldAddresses({baseUrl, basePath, ...all}: Members, spot: Spot): void {
  const [root, path] = [textIn(all.rootUrl), textIn(all.servicePath)]
  if (root === undefined || path === undefined) return
  const expected = {baseUrl: [baseUrl, root + path], basePath: [basePath, `/${path}`]}
  for (const [name, [given, due]] of Object.entries(expected)) {
    if (typeof given !== 'string' || given === due) continue
    const words = 'rootUrl and servicePath take its place and make it'
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
