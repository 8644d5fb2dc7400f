import {isObject} from '#lib/api/validate.js'
import type {Page} from '#lib/client/client.js'
import {
  callOf,
  fileIn,
  hasValues,
  type Reversal,
  type SentChange,
  textOf,
  UNKNOWN_BEFORE,
  valuesOf,
} from './reversal.js'
import {propertyDeletion} from './reverse-files.js'

/** Reversals of changes to properties, revisions and labels of files. */

const visibilityIn = ({params, body}: SentChange, isNew = false): string =>
  (textOf(isNew ? body.visibility : params.visibility) || 'PRIVATE').toUpperCase()

/** The name of the property after the change. */
const nameAfter = (change: SentChange) => ({
  key: textOf(change.params.propertyKey ?? change.body.key),
  visibility:
    change.body.visibility === undefined ? visibilityIn(change) : visibilityIn(change, true),
})

const listed = (change: SentChange) =>
  callOf('properties.list', {fileId: fileIn(change), fields: 'items'})

function itemsOf(record: Page | undefined): Page[] {
  return Array.isArray(record?.items) ? record.items.filter(isObject) : []
}

function propertyIn(
  record: Page | undefined,
  name: {readonly key: string; readonly visibility: string},
) {
  return itemsOf(record).find(
    ({key, visibility}) => key === name.key && visibility === name.visibility,
  )
}

/** Whether the property has the value that the change set. */
const isSet = (change: SentChange, record: Page | undefined): boolean => {
  const found = propertyIn(record, nameAfter(change))
  return found !== undefined && hasValues(found.value, change.body.value ?? found.value)
}

/** What all changes that set a property have in common. */
const setting = {
  before: listed,
  now: listed,
  isAsLeft: isSet,
  resultIn: (change, record) => propertyIn(record, nameAfter(change)),
  left: ({result}) => result && {items: [result]},
} as const satisfies Partial<Reversal>

const propertyChange: Reversal = {
  words: 'restores the previous value and visibility',
  ...setting,
  reverse(change) {
    const past = {key: textOf(change.params.propertyKey), visibility: visibilityIn(change)}
    const known = propertyIn(change.before, past)
    if (!known) return {reason: UNKNOWN_BEFORE}
    const {key, visibility} = nameAfter(change)
    const params = {fileId: fileIn(change), propertyKey: key, visibility: visibility.toLowerCase()}
    return {
      calls: [
        callOf('properties.patch', params, {value: known.value ?? '', visibility: past.visibility}),
      ],
    }
  },
}

const FLAGS = ['pinned', 'published', 'publishAuto', 'publishedOutsideDomain']

const readRevision = ({params, result}: SentChange) =>
  callOf('revisions.get', {
    fileId: textOf(params.fileId),
    // `head` may be another revision by now.
    revisionId: textOf(result?.id ?? params.revisionId),
  })

const flagsIn = ({body}: SentChange) => FLAGS.filter(name => body[name] !== undefined)

const revisionChange: Reversal = {
  words: 'restores the previous settings (pinned, published)',
  before: readRevision,
  now: readRevision,
  isAsLeft: (change, record) =>
    record !== undefined && hasValues(record, valuesOf(change.body, flagsIn(change))),
  left: change => valuesOf(change.body, flagsIn(change)),
  reverse(change) {
    const {before} = change
    if (!before) return {reason: UNKNOWN_BEFORE}
    const flags = Object.fromEntries(flagsIn(change).map(name => [name, before[name] === true]))
    const {params} = readRevision(change).input
    return {calls: [callOf('revisions.patch', params, flags)]}
  },
}

/** The modification of a label field that sets values again. */
const SETTERS: Readonly<Record<string, string>> = {
  dateString: 'setDateValues',
  integer: 'setIntegerValues',
  selection: 'setSelectionValues',
  text: 'setTextValues',
  user: 'setUserValues',
}

/** The modification that gives a label the fields that it had before. */
function labelBack(labelId: string, known: Page | undefined, changed: readonly string[]): Page {
  if (!known) return {labelId, removeLabel: true}
  const fields = isObject(known.fields) ? known.fields : {}
  const names = [...new Set([...Object.keys(fields), ...changed])]
  return {
    labelId,
    fieldModifications: names.map(fieldId => {
      const field = fields[fieldId]
      const type = isObject(field) ? textOf(field.valueType) : ''
      const setter = SETTERS[type]
      if (!isObject(field) || !setter) return {fieldId, unsetValues: true}
      const values = (Array.isArray(field[type]) ? field[type] : []) as unknown[]
      const texts =
        type === 'user' ? values.map(user => (isObject(user) ? user.emailAddress : user)) : values
      return {fieldId, [setter]: texts}
    }),
  }
}

function modificationsIn({body}: SentChange): Page[] {
  return Array.isArray(body.labelModifications) ? body.labelModifications.filter(isObject) : []
}

const listedLabels = (change: SentChange) =>
  callOf('files.listLabels', {fileId: fileIn(change), fields: 'items'})

export const partReversals = {
  'properties.patch': propertyChange,
  'properties.update': propertyChange,
  'properties.insert': {
    words: 'deletes the property, or restores its previous value',
    ...setting,
    reverse(change) {
      if (!change.before) return {reason: UNKNOWN_BEFORE}
      const name = nameAfter(change)
      const known = propertyIn(change.before, name)
      const fileId = fileIn(change)
      if (!known) return {calls: [propertyDeletion(fileId, name)]}
      const params = {fileId, propertyKey: name.key, visibility: name.visibility.toLowerCase()}
      return {calls: [callOf('properties.patch', params, {value: known.value ?? ''})]}
    },
  },
  'properties.delete': {
    words: 'adds the property again',
    before: listed,
    now: listed,
    isAsLeft: (change, record) => propertyIn(record, nameAfter(change)) === undefined,
    left: () => ({items: []}),
    reverse(change) {
      const name = nameAfter(change)
      const known = propertyIn(change.before, name)
      if (!known) return {reason: UNKNOWN_BEFORE}
      const {key, visibility} = name
      const body = {key, value: known.value ?? '', visibility}
      return {calls: [callOf('properties.insert', {fileId: fileIn(change)}, body)]}
    },
  },
  'revisions.patch': revisionChange,
  'revisions.update': revisionChange,
  'revisions.delete': {
    words: 'cannot be undone',
    reverse: () => ({reason: 'it was deleted permanently'}),
  },
  'files.modifyLabels': {
    words: 'restores the previous labels and their fields',
    before: listedLabels,
    now: listedLabels,
    isAsLeft: (change, record) =>
      modificationsIn(change).every(({labelId, removeLabel}) => {
        const found = itemsOf(record).find(({id}) => id === labelId)
        return removeLabel === true ? !found : found !== undefined
      }),
    reverse(change) {
      if (!change.before) return {reason: UNKNOWN_BEFORE}
      const known = itemsOf(change.before)
      const labelModifications = modificationsIn(change).map(({labelId, fieldModifications}) => {
        const fields = Array.isArray(fieldModifications) ? fieldModifications.filter(isObject) : []
        return labelBack(
          textOf(labelId),
          known.find(({id}) => id === labelId),
          fields.map(({fieldId}) => textOf(fieldId)),
        )
      })
      return {calls: [callOf('files.modifyLabels', {fileId: fileIn(change)}, {labelModifications})]}
    },
  },
} as const satisfies Record<string, Reversal>
