import {shortScope} from '#lib/api/description/scopes.js'
import {
  type DocumentPath,
  groupsIn,
  methodsIn,
  partAt,
  type PlacedSchema,
  schemaFields,
} from '#lib/api/document/walk.js'
import type {RestDescription} from '#lib/api/types.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {textOfLines} from '#lib/cli/terminal/layout.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {kebabCase} from '#lib/platform/values.js'
import {groupText, methodText, scopesText, wholeText} from './describe-method.js'
import {schemaText} from './describe-schema.js'
import {labeledParagraph, type Paragraph, plainParagraph, separateParagraphs} from './paragraphs.js'
import type {ProfileDocument} from './profile-document.js'

/** Finds a part of a description by name, and shows it. */

/** A part of a document, as JSON and as text. */
export interface DescribedEntry {
  /** The JSON as it is in the original document. */
  readonly json: unknown
  readonly text: (width: number) => string
}

interface Part {
  readonly place: DocumentPath
  readonly text: () => Paragraph
}

/** A part with its possible names, the preferred one first. */
interface Named extends Part {
  readonly names: readonly string[]
}

/**
 * The part of a document that some words name, or all of it without words. Throws `UsageError` for an
 * unknown name and suggests the nearest one.
 */
export function describeEntry(
  {document, json, source}: Omit<ProfileDocument, 'from'>,
  words: readonly string[],
): DescribedEntry {
  const {place, text} = words.length > 0 ? namedBy(document, words) : whole(document)
  const from = labeledParagraph('Source:', plainParagraph(source))
  return {
    json: partAt(json, place),
    text: width => textOfLines(separateParagraphs([text(), from])(width)),
  }
}

function whole(document: RestDescription): Part {
  return {place: [], text: () => wholeText(document)}
}

/**
 * Finds a method (`files.trash`, `drive.files.trash`, `files trash`, `files generate-ids`), a group
 * (`files`), a schema (`File`), a field (`File.labels.trashed`), a common parameter or a scope.
 */
function namedBy(document: RestDescription, words: readonly string[]): Part {
  const name = words.join('.')
  const all = namedIn(document)
  const part =
    all.find(({names}) => names.includes(name)) ??
    all.find(({names}) => names.some(known => known.toLowerCase() === name.toLowerCase())) ??
    fieldIn(document, name)
  if (part) return part
  const known = all.flatMap(({names}) => names)
  const meant = nearest(name, known)
  throw new UsageError(
    `The description has no method, schema or scope named "${plainParagraph(words.join(' '))}".`,
    meant === undefined
      ? 'Run `drv api describe` to list all names.'
      : suggestionSentence(plainParagraph(meant)),
  )
}

function namedIn(document: RestDescription): readonly Named[] {
  const {name: api, schemas, parameters} = document
  const {scopes} = document.auth.oauth2
  return [
    ...methodsIn(document).map(placed => ({
      names: spellings(placed.name, api, placed.method.id),
      place: placed.place,
      text: () => methodText(document, placed),
    })),
    ...groupsIn(document).map(placed => ({
      names: spellings(placed.name, api),
      place: placed.place,
      text: () => groupText(document, placed),
    })),
    ...schemasAt(document, ['schemas'], schemas),
    ...schemasAt(document, ['parameters'], parameters),
    ...Object.keys(scopes).map(scope => ({
      names: [shortScope(scope), scope],
      place: ['auth', 'oauth2', 'scopes', scope],
      text: () => scopesText(document, [scope]),
    })),
  ]
}

/** The names of a method or a group; the first, without the API's name, is the one suggested. */
function spellings(name: string, api: string, id = `${api}.${name}`): readonly string[] {
  return [...new Set([name, id, kebabCase(name), kebabCase(id)])]
}

function schemasAt(
  document: RestDescription,
  place: DocumentPath,
  schemas: RestDescription['schemas'],
): readonly Named[] {
  return Object.entries(schemas).map(([name, schema]) => ({
    names: [name],
    place: [...place, name],
    text: () => schemaText(document, name, {place: [...place, name], schema}),
  }))
}

/**
 * Finds a field by its path, `SCHEMA.FIELD.FIELD`; `undefined` if the first name is no schema. Throws
 * `UsageError` for an unknown field.
 */
function fieldIn(document: RestDescription, path: string): Part | undefined {
  const [schema = '', ...names] = path.split('.')
  const known = Object.keys(document.schemas)
  const id = sameName(schema, known)
  if (id === undefined || names.length === 0) return undefined
  let at: PlacedSchema = {place: ['schemas', id], schema: document.schemas[id]!}
  let way = id
  for (const name of names) {
    const fields = schemaFields(document, at)
    const key = sameName(name, [...fields.keys()])
    if (key === undefined) {
      const meant = nearest(name, [...fields.keys()])
      // Other parts may start with a schema's name in lower case.
      if (meant === undefined && schema !== id) return undefined
      throw noField(way, name, meant)
    }
    at = fields.get(key)!
    way = `${way}.${key}`
  }
  return {place: at.place, text: () => schemaText(document, way, at)}
}

function sameName(name: string, known: readonly string[]): string | undefined {
  return (
    known.find(other => other === name) ??
    known.find(other => other.toLowerCase() === name.toLowerCase())
  )
}

function noField(way: string, name: string, meant: string | undefined): UsageError {
  return new UsageError(
    `${plainParagraph(way)} has no field "${plainParagraph(name)}".`,
    meant === undefined
      ? `Run \`drv api describe ${plainParagraph(way)}\` to list its fields.`
      : suggestionSentence(plainParagraph(`${way}.${meant}`)),
  )
}
