import type {
  Method,
  MethodSource,
  MethodSources,
  RestDescription,
  SchemaMap,
} from '#lib/api/types.js'
import {about, aboutSchemas, usersSchemas} from './about.js'
import {apps, appsSchemas} from './apps.js'
import {changes, changesSchemas} from './changes.js'
import {channels, channelsSchemas} from './channels.js'
import {children, childrenSchemas} from './children.js'
import {drives, drivesSchemas} from './drives.js'
import {commonParameters} from './fields.js'
import {filesSchemas} from './file-records.js'
import {files} from './files.js'
import {labelsSchemas} from './labels.js'
import {parents, parentsSchemas} from './parents.js'
import {permissions, permissionsSchemas} from './permissions.js'
import {properties, propertiesSchemas} from './properties.js'
import {revisions, revisionsSchemas} from './revisions.js'
import {scopeCatalog, scopeValue} from './scopes.js'

/**
 * The API description as data: one file per resource group, with its methods and schemas. The
 * functions that use it are in `..`.
 */

/** The eleven resource groups, in the order of the specification's table (files-api.md, Endpoints). */
export const resourceSources = {
  about,
  apps,
  changes,
  channels,
  children,
  drives,
  files,
  parents,
  permissions,
  properties,
  revisions,
} as const satisfies Record<string, MethodSources>

const schemaSources = {
  ...aboutSchemas,
  ...appsSchemas,
  ...changesSchemas,
  ...channelsSchemas,
  ...drivesSchemas,
  ...filesSchemas,
  ...labelsSchemas,
  ...childrenSchemas,
  ...parentsSchemas,
  ...permissionsSchemas,
  ...propertiesSchemas,
  ...revisionsSchemas,
  ...usersSchemas,
} as const satisfies SchemaMap

const NAME = 'drive'
const SERVICE_PATH = 'drive/v2/'

/** The method with the derived fields `id`, `flatPath` and `parameterOrder`. */
function completeMethod(id: string, source: MethodSource): Method {
  const {parameters = {}} = source
  const parameterOrder = Object.keys(parameters).filter(name => parameters[name]?.required)
  return {id, flatPath: source.path, ...source, parameterOrder}
}

function methodsOf(group: string, sources: MethodSources): Readonly<Record<string, Method>> {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [
      name,
      completeMethod(`${NAME}.${group}.${name}`, source),
    ]),
  )
}

/** Root URL of the built-in document; a service replaces it with its own (`descriptionAt`). */
const PLACEHOLDER = 'http://127.0.0.1/'

/** The fields that contain URLs, for a service at `rootUrl`, which ends with a slash. */
function urlFields(rootUrl: string) {
  return {
    icons: {x16: `${rootUrl}icons/api-16.png`, x32: `${rootUrl}icons/api-32.png`},
    documentationLink: `${rootUrl}docs`,
    rootUrl,
    baseUrl: rootUrl + SERVICE_PATH,
  }
}

/** The description document (spec: description-format.md), as served and printed. */
export const description: RestDescription = {
  kind: 'discovery#restDescription',
  discoveryVersion: 'v1',
  id: `${NAME}:v2`,
  name: NAME,
  canonicalName: 'Drive',
  version: 'v2',
  revision: '20261121',
  title: 'File storage API',
  description: 'Read, write, search, share and watch files in cloud storage.',
  labels: [],
  protocol: 'rest',
  ...urlFields(PLACEHOLDER),
  servicePath: SERVICE_PATH,
  basePath: `/${SERVICE_PATH}`,
  // No `endpoints`: the service has no regional URLs besides `rootUrl`.
  batchPath: 'batch',
  parameters: commonParameters,
  auth: {
    oauth2: {
      scopes: Object.fromEntries(
        Object.entries(scopeCatalog).map(([name, text]) => [scopeValue(name), {description: text}]),
      ),
    },
  },
  features: [],
  schemas: Object.fromEntries(
    Object.entries(schemaSources).map(([id, schema]) => [id, {id, ...schema}]),
  ),
  resources: Object.fromEntries(
    Object.entries(resourceSources).map(([group, sources]) => [
      group,
      {methods: methodsOf(group, sources)},
    ]),
  ),
}

/** The document with the URLs of a service at `rootUrl` (reference: description-format.md, section 7). */
export function descriptionAt(rootUrl: string): RestDescription {
  return {...description, ...urlFields(rootUrl.endsWith('/') ? rootUrl : `${rootUrl}/`)}
}
