import {
  flag,
  list,
  listPage,
  nextPageToken,
  object,
  ofKind,
  record,
  requiredBy,
  text,
  texts,
} from './fields.js'

const date = {type: 'string', format: 'date'} as const
const int64 = {type: 'string', format: 'int64'} as const

export const labelsSchemas = ofKind({
  Label: record('A label on a file, with its fields.', {
    fields: {
      type: 'object',
      description: 'Fields of the label, by ID.',
      additionalProperties: {$ref: 'LabelField'},
    },
    id: text('ID of the label.'),
    revisionId: text('ID of the revision of the label.'),
  }),
  LabelField: record('A field of a label. Only the values of its own type are there.', {
    dateString: list('Dates, such as 2024-05-06.', date),
    id: text('ID of the field.'),
    integer: list('Whole numbers.', int64),
    selection: texts('IDs of the chosen options.'),
    text: texts('Texts.'),
    user: list('Users.', {$ref: 'User'}),
    valueType: text('Type of the values: dateString, integer, selection, text or user.'),
  }),
  LabelFieldModification: object('What to do with a field of a label.', {
    fieldId: text('ID of the field.'),
    setDateValues: list('New dates, such as 2024-05-06.', date),
    setIntegerValues: list('New whole numbers.', int64),
    setSelectionValues: texts('IDs of the newly chosen options.'),
    setTextValues: texts('New texts.'),
    setUserValues: texts('Email addresses of the new users.'),
    unsetValues: flag('Empty the field.'),
  }),
  LabelList: listPage('Label', 'A page of the labels on a file.', {
    nextPageToken,
  }),
  LabelModification: object('What to do with a label: add it, change its fields or remove it.', {
    fieldModifications: list('What to do with its fields.', {$ref: 'LabelFieldModification'}),
    labelId: text('ID of the label.', requiredBy('drive.files.modifyLabels')),
    removeLabel: flag('Take the label off the file.'),
  }),
  ModifyLabelsRequest: object('What to do with the labels on a file, all or nothing.', {
    labelModifications: list('What to do with each label.', {$ref: 'LabelModification'}),
  }),
  ModifyLabelsResponse: record('What became of the labels on a file.', {
    modifiedLabels: list('Labels that were added or changed, not those removed.', {
      $ref: 'Label',
    }),
  }),
})
