import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import type {Method, RestDescription, Schema} from '#lib/api/types.js'
import {startTestService, type TestService} from '../harness.js'

/**
 * Methods, parameters and schemas of the served document, compared property by property with the tables
 * of description-format.md. Each property that the document lacks is listed here with a reason.
 */

let service: TestService
let document: RestDescription
beforeAll(async () => {
  service = await startTestService()
  const path = '/discovery/v1/apis/drive/v2/rest'
  document = (await service.json('GET', path, {token: null})).body
})
afterAll(() => service.close())

/** Every method, by its path in the tree. */
function methods(): Array<readonly [id: string, method: Method]> {
  return Object.entries(document.resources).flatMap(([group, resource]) =>
    Object.entries(resource.methods).map(
      ([name, method]) => [`${document.name}.${group}.${name}`, method] as const,
    ),
  )
}

/** Every schema, including nested ones, by its path. */
function schemas(): Array<readonly [place: string, schema: Schema]> {
  const inside = (place: string, schema: Schema): Array<readonly [string, Schema]> => [
    [place, schema],
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      inside(`${place}.${name}`, inner),
    ),
    ...(schema.items ? inside(`${place}[]`, schema.items) : []),
    ...(schema.additionalProperties ? inside(`${place}.*`, schema.additionalProperties) : []),
  ]
  return [
    ...Object.entries(document.schemas),
    ...parameters().map(([place, parameter]) => [place, parameter] as const),
  ].flatMap(([place, schema]) => inside(place, schema))
}

function parameters(): Array<readonly [place: string, parameter: Schema]> {
  return [
    ...Object.entries(document.parameters),
    ...methods().flatMap(([id, method]) =>
      Object.entries(method.parameters ?? {}).map(
        ([name, parameter]) => [`${id}.${name}`, parameter] as const,
      ),
    ),
  ]
}

describe('each method', () => {
  test('has its ID, its paths and its descriptions', () => {
    expect(methods()).toHaveLength(57)
    for (const [id, method] of methods()) {
      expect(method.id).toBe(id)
      // No path has level-2 variables, so both notations are equal.
      expect(method.flatPath).toBe(method.path)
      expect(method.path).not.toMatch(/^\/|\{[^\w}]/)
      expect(method.httpMethod).toMatch(/^(GET|POST|PUT|PATCH|DELETE)$/)
      expect(method.description).toMatch(/^[A-Z].*\.$/)
      expect(method.scopes).not.toEqual([])
      const known = Object.keys(document.auth.oauth2.scopes)
      expect(method.scopes.filter(scope => !known.includes(scope))).toEqual([])
    }
  })

  test('lists its required parameters in order, even if there are none', () => {
    for (const [id, {path, parameters = {}, parameterOrder}] of methods()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const required = Object.keys(parameters).filter(name => parameters[name]!.required)
      expect([id, parameterOrder?.slice(0, inPath.length)]).toEqual([id, inPath])
      expect([id, parameterOrder?.toSorted()]).toEqual([id, required.toSorted()])
    }
  })

  test('refers to existing schemas', () => {
    for (const [id, {httpMethod, request, response}] of methods()) {
      for (const reference of [request, response]) {
        if (reference) expect(document.schemas).toHaveProperty(reference.$ref)
      }
      if (request) expect([id, httpMethod]).toEqual([id, expect.stringMatching(/^P/)])
    }
  })

  test('describes its content and its upload paths', () => {
    const having = (fact: keyof Method) =>
      methods().flatMap(([id, method]) => (method[fact] ? [id.slice('drive.'.length)] : []))
    expect(having('supportsMediaUpload')).toEqual(['files.insert', 'files.update'])
    expect(having('mediaUpload')).toEqual(['files.insert', 'files.update'])
    expect(having('supportsMediaDownload')).toEqual(['files.export', 'files.get'])
    expect(having('supportsSubscription')).toEqual([
      'changes.list',
      'changes.watch',
      'files.get',
      'files.watch',
    ])
    for (const [, {path, mediaUpload}] of methods()) {
      if (!mediaUpload) continue
      expect(mediaUpload).toEqual({
        accept: ['*/*'],
        maxSize: '5TB',
        protocols: {
          simple: {multipart: true, path: `/upload/drive/v2/${path}`},
          resumable: {multipart: true, path: `/resumable/upload/drive/v2/${path}`},
        },
      })
    }
  })

  test('is deprecated as in the specification', () => {
    expect(methods().flatMap(([id, {deprecated}]) => (deprecated ? [id] : []))).toEqual([
      'drive.changes.get',
    ])
    // No resource is deprecated as a whole.
    expect(Object.values(document.resources).filter(({deprecated}) => deprecated)).toEqual([])
  })
})

describe('each schema', () => {
  test('has a type or a reference, and the types of the format', () => {
    expect(schemas().length).toBeGreaterThan(900)
    for (const [place, {type, $ref, items}] of schemas()) {
      expect([place, type === undefined]).toEqual([place, $ref !== undefined])
      if ($ref !== undefined) expect(document.schemas).toHaveProperty($ref)
      expect([place, items !== undefined]).toEqual([place, type === 'array'])
    }
    for (const [name, schema] of Object.entries(document.schemas)) {
      expect([name, schema.id, schema.type]).toEqual([name, name, 'object'])
    }
  })

  test('has a description, except for elements of lists', () => {
    const wordless = schemas().filter(([, {description}]) => !/^\S.*\.$/.test(description ?? ''))
    expect(wordless.filter(([place]) => !/(\[\]|\.\*)$/.test(place))).toEqual([])
  })

  test('has a description for each value of an enum', () => {
    const choices = schemas().filter(([, schema]) => schema.enum)
    expect(choices).not.toEqual([])
    for (const [place, schema] of choices) {
      const words = schema.enumDescriptions?.filter(text => /^[A-Z].*\.$/.test(text))
      expect([place, words?.length]).toEqual([place, schema.enum!.length])
      // Only whole parameters are deprecated, never single values.
      expect(schema).not.toHaveProperty('enumDeprecated')
    }
  })

  test('has limits and defaults as text, within each other', () => {
    for (const [place, {minimum, maximum, default: standard, enum: values}] of schemas()) {
      for (const bound of [minimum, maximum]) {
        if (bound !== undefined)
          expect([place, bound]).toEqual([place, expect.stringMatching(/^\d+$/)])
      }
      if (standard === undefined) continue
      expect([place, typeof standard]).toEqual([place, 'string'])
      if (values) expect([place, values.includes(standard)]).toEqual([place, true])
      if (minimum !== undefined) expect(Number(standard)).toBeGreaterThanOrEqual(Number(minimum))
      if (maximum !== undefined) expect(Number(standard)).toBeLessThanOrEqual(Number(maximum))
    }
  })

  test('names the methods that require it', () => {
    const required = schemas().flatMap(([place, {annotations}]) =>
      annotations ? [`${place}: ${annotations.required?.join(' ')}`] : [],
    )
    expect(required.toSorted()).toEqual([
      'Channel.address: drive.changes.watch drive.files.watch',
      'Channel.id: drive.changes.watch drive.channels.stop drive.files.watch',
      'Channel.resourceId: drive.channels.stop',
      'ChildReference.id: drive.children.insert',
      'Drive.name: drive.drives.insert',
      'LabelModification.labelId: drive.files.modifyLabels',
      'ParentReference.id: drive.parents.insert',
      'Permission.role: drive.permissions.insert',
      'Permission.type: drive.permissions.insert',
      'Property.key: drive.properties.insert',
    ])
  })

  test('is deprecated if another field replaces it', () => {
    const old = schemas().filter(([, {description}]) =>
      /^(Deprecated: use|No longer)/.test(description ?? ''),
    )
    expect(old.length).toBeGreaterThan(50)
    expect(document.schemas.TeamDrive!.deprecated).toBe(true)
    const current = old.filter(
      ([place, {deprecated}]) => !deprecated && !place.startsWith('TeamDrive.'),
    )
    expect(current.map(([place]) => place)).toEqual([])
  })
})

test('each parameter has its location', () => {
  for (const [place, {location, required, repeated}] of parameters()) {
    expect([place, location]).toEqual([place, expect.stringMatching(/^(path|query)$/)])
    if (location === 'path') expect([place, required]).toEqual([place, true])
    // Lists are single values, separated by commas.
    expect(repeated).toBeUndefined()
  }
})
