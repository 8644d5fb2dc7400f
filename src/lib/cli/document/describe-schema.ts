import {
  memberOf,
  type PlacedSchema,
  referenced,
  schemaFields,
  schemasOf,
  shortId,
} from '#lib/api/document/walk.js'
import type {RestDescription, Schema} from '#lib/api/types.js'
import {isObject} from '#lib/api/validate.js'
import {
  entryTable,
  factList,
  indentParagraph,
  joinParagraphs,
  labeledParagraph,
  type Paragraph,
  type ParagraphEntry,
  plainParagraph,
  separateParagraphs,
} from './paragraphs.js'

/** Shows a schema, a field or a parameter as `name`, with its fields. */
export function schemaText(
  document: RestDescription,
  name: string,
  placed: PlacedSchema,
): Paragraph {
  const {schema} = placed
  const {description = referenced(document, schema)?.schema.description, deprecated} = schema
  const fields = schemaFields(document, placed)
  const isRecord = placed.place.length === 2 && placed.place[0] === 'schemas'
  return separateParagraphs([
    labeledParagraph('', headline(name, {description, deprecated})),
    joinParagraphs([
      factList([
        ['Type', isRecord && fields.size > 0 ? '' : typeOf(schema)],
        ['Attributes', marksOf(schema)],
      ]),
      details(document, schema),
    ]),
    entryTable([...fields].map(([field, {schema: inner}]) => schemaEntry(document, field, inner))),
    ...[...fields]
      .filter(([, inner]) => schemaFields(document, inner).size > 0)
      .slice(0, 1)
      .map(([field]) =>
        labeledParagraph(
          '',
          `To see the fields of a nested object, run \`drv api describe ${name}.${field}\`.`,
        ),
      ),
  ])
}

/** `File: DESCRIPTION` */
export function headline(
  name: string,
  {description, deprecated}: Pick<Schema, 'description' | 'deprecated'>,
): string {
  const head = `${plainParagraph(name)}${deprecated === true ? ' (deprecated)' : ''}`
  return [head, plainParagraph(description)].filter(Boolean).join(': ')
}

/** A field or a parameter as a table entry. */
export function schemaEntry(
  document: RestDescription,
  name: string,
  schema: Schema,
): ParagraphEntry {
  const inner = schemasOf(innermost(schema).properties).map(([field]) => plainParagraph(field))
  const below = joinParagraphs([
    details(document, schema),
    labeledParagraph('Fields:', inner.join(', ')),
  ])
  return {
    cells: [plainParagraph(name), typeOf(schema), marksOf(schema)],
    words: plainParagraph(schema.description),
    below,
  }
}

/** A type as text. Unknown types and formats appear as in the document. */
function typeOf({$ref, type, format, items, additionalProperties}: Schema): string {
  if (typeof $ref === 'string') return plainParagraph($ref)
  if (isObject(items)) return `list of ${typeOf(items)}`
  if (isObject(additionalProperties)) return `map of ${typeOf(additionalProperties)}`
  const kind = plainParagraph(type) || 'any'
  return format === undefined ? kind : `${kind} (${plainParagraph(format)})`
}

function marksOf({location, required, repeated, readOnly, deprecated}: Schema): string {
  return [
    (location as unknown) === 'path' && 'in the path',
    required === true && 'required',
    repeated === true && 'repeated',
    readOnly === true && 'read only',
    deprecated === true && 'deprecated',
  ]
    .filter(Boolean)
    .join(', ')
}

/** The schema of the members of (nested) lists and maps; for others the schema itself. */
function innermost(schema: Schema): Schema {
  const member = memberOf({place: [], schema})
  return member ? innermost(member.schema) : schema
}

/** The allowed values of a schema and of its members. */
function details(document: RestDescription, schema: Schema): Paragraph {
  const inner = innermost(schema)
  return joinParagraphs(
    (inner === schema ? [schema] : [schema, inner]).flatMap(each => rules(document, each)),
  )
}

function rules(document: RestDescription, schema: Schema): Paragraph[] {
  const {default: value, pattern, annotations} = schema
  const sentences = [
    rangeOf(schema),
    value !== undefined && `Default: ${plainParagraph(value) || '""'}.`,
  ]
  const requiring = texts(isObject(annotations) ? annotations.required : [])
  return [
    labeledParagraph('', sentences.filter(Boolean).join(' ')),
    labeledParagraph('Pattern:', plainParagraph(pattern)),
    labeledParagraph('Required by:', requiring.map(id => shortId(document, id)).join(', ')),
    values(schema),
  ]
}

function rangeOf({minimum, maximum}: Schema): string {
  const least = plainParagraph(minimum)
  const most = plainParagraph(maximum)
  if (least && most) return `From ${least} to ${most}.`
  if (least) return `At least ${least}.`
  return most && `At most ${most}.`
}

/** The values of an enumeration, with their descriptions where available. */
function values(schema: Schema): Paragraph {
  const {enumDescriptions: meanings, enumDeprecated: old} = schema
  const all = texts(schema.enum).map((value, index) => ({
    cells: [value || '""', Array.isArray(old) && old[index] === true ? 'deprecated' : ''],
    words: Array.isArray(meanings) ? plainParagraph(meanings[index]) : '',
  }))
  if (all.some(({words, cells}) => words || cells[1])) {
    return joinParagraphs([labeledParagraph('', 'Values:'), indentParagraph(entryTable(all))])
  }
  return labeledParagraph('Values:', all.map(({cells}) => cells[0]).join(', '))
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(plainParagraph) : []
}
