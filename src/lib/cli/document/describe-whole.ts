import {shortScope} from '#lib/api/description/scopes.js'
import {methodsIn} from '#lib/api/document/walk.js'
import type {RestDescription} from '#lib/api/types.js'
import {count} from '#lib/cli/terminal/units.js'
import {isObject} from '#lib/platform/values.js'
import {methodTable} from './describe-method.js'
import {apart, facts, hanging, type Paragraph, plain} from './paragraphs.js'

/** All of a document: whose it is, where the service is, and the names of what it has. */
export function wholeText(document: RestDescription): Paragraph {
  const {title, name, version, id, revision, rootUrl, batchPath} = document
  const methods = methodsIn(document)
  const schemas = Object.keys(document.schemas)
  const scopes = Object.keys(document.auth.oauth2.scopes)
  const parameters = Object.keys(document.parameters)
  const counts = [
    count(methods.length, 'method'),
    count(schemas.length, 'record'),
    count(scopes.length, 'scope'),
    count(parameters.length, 'common parameter'),
  ]
  return apart([
    hanging('', `${plain(title) || plain(name)} ${plain(version)}: ${counts.join(', ')}`),
    ...(document.description ? [hanging('', plain(document.description))] : []),
    facts([
      ['Name', plain(id)],
      ['Revision', plain(revision)],
      ['Address', plain(document.baseUrl)],
      ['Batches', batchPath && plain(rootUrl + batchPath)],
      ['Documentation', plain(document.documentationLink)],
      ...named('Icons', Object.entries(isObject(document.icons) ? document.icons : {})),
      ['Labels', texts(document.labels)],
      ['Features', texts(document.features)],
      ...named('Endpoints', endpoints(document)),
    ]),
    methodTable(methods),
    list('Records:', schemas),
    list('Common parameters:', parameters),
    list('Scopes:', scopes.map(shortScope)),
    hanging('', 'More of one: `drv api describe NAME`'),
  ])
}

/** Several facts of one name, which is said once. */
function named(
  name: string,
  all: ReadonlyArray<readonly [string, unknown]>,
): ReadonlyArray<readonly [string, string]> {
  return all.map(([key, value], index) => [
    index === 0 ? name : '',
    `${plain(key)} ${plain(value)}`.trim(),
  ])
}

function endpoints({endpoints: all}: RestDescription): ReadonlyArray<readonly [string, string]> {
  if (!Array.isArray(all)) return []
  return all.filter(isObject).map(({endpointUrl, location, description, deprecated}) => {
    const words = [location, description, deprecated === true && 'deprecated']
    return [plain(endpointUrl), words.filter(Boolean).map(plain).join(', ')] as const
  })
}

function texts(values: unknown): string {
  return Array.isArray(values) ? values.map(plain).join(', ') : ''
}

function list(name: string, names: readonly string[]): Paragraph {
  return names.length > 0 ? hanging(name, names.map(plain).join(', ')) : () => ''
}
