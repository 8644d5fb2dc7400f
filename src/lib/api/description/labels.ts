import {
  flag,
  list,
  listPage,
  nextPageToken,
  object,
  record,
  requiredBy,
  text,
  texts,
  withKind,
} from './fields.js'

const date = {type: 'string', format: 'date'} as const
const int64 = {type: 'string', format: 'int64'} as const

export const labelsSchemas = withKind({
  Label: record('A label on a file, with its fields.', {
    fields: {
      type: 'object',
      description: 'Fields of the label, by ID.',
      additionalProperties: {$ref: 'LabelField'},
    },
    id: text('ID of the label.'),
    revisionId: text('ID of the revision of the label.'),
  }),
  LabelField: record('A field of a label. Only the field for its value type is set.', {
    dateString: list('Dates, such as 2024-05-06.', date),
    id: text('ID of the field.'),
    integer: list('Integers.', int64),
    selection: texts('IDs of the selected options.'),
    text: texts('Texts.'),
    user: list('Users.', {$ref: 'User'}),
    valueType: text('Type of the values: dateString, integer, selection, text or user.'),
  }),
  LabelFieldModification: object('A change to a field of a label.', {
    fieldId: text('ID of the field.'),
    setDateValues: list('New dates, such as 2024-05-06.', date),
    setIntegerValues: list('New integers.', int64),
    setSelectionValues: texts('IDs of the new selected options.'),
    setTextValues: texts('New texts.'),
    setUserValues: texts('Email addresses of the new users.'),
    unsetValues: flag('Clear the field.'),
  }),
  LabelList: listPage('Label', 'A page of the labels on a file.', {
    nextPageToken,
  }),
  LabelModification: object('A change to a label: adds it, changes its fields or removes it.', {
    fieldModifications: list('Changes to the fields of the label.', {
      $ref: 'LabelFieldModification',
    }),
    labelId: text('ID of the label.', requiredBy('drive.files.modifyLabels')),
    removeLabel: flag('Remove the label from the file.'),
  }),
  ModifyLabelsRequest: object(
    'Changes to the labels on a file; all of them are applied, or none.',
    {
      labelModifications: list('Changes to each label.', {$ref: 'LabelModification'}),
    },
  ),
  ModifyLabelsResponse: record('Result of changing the labels on a file.', {
    modifiedLabels: list('Labels that were added or changed, without removed ones.', {
      $ref: 'Label',
    }),
  }),
})
