import {
  flag,
  kind,
  list,
  listPage,
  nextPageToken,
  object,
  output,
  text,
  texts,
} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

const date = {type: 'string', format: 'date'} as const
const int64 = {type: 'string', format: 'int64'} as const

export const labelsSchemas = {
  Label: object('A label on a file, with its fields.', {
    kind: kind('drive#label'),
    ...output({
      fields: {
        type: 'object',
        description: 'Fields of the label, by ID.',
        additionalProperties: {$ref: 'LabelField'},
      },
      id: text('ID of the label.'),
      revisionId: text('ID of the revision of the label.'),
    }),
  }),
  LabelField: object('A field of a label. Only the values of its own type are there.', {
    kind: kind('drive#labelField'),
    ...output({
      dateString: list('Dates, such as 2024-05-06.', date),
      id: text('ID of the field.'),
      integer: list('Whole numbers.', int64),
      selection: texts('IDs of the chosen options.'),
      text: texts('Texts.'),
      user: list('Users.', {$ref: 'User'}),
      valueType: text('Type of the values: dateString, integer, selection, text or user.'),
    }),
  }),
  LabelFieldModification: object('What to do with a field of a label.', {
    kind: kind('drive#labelFieldModification'),
    fieldId: text('ID of the field.'),
    setDateValues: list('New dates, such as 2024-05-06.', date),
    setIntegerValues: list('New whole numbers.', int64),
    setSelectionValues: texts('IDs of the newly chosen options.'),
    setTextValues: texts('New texts.'),
    setUserValues: texts('Email addresses of the new users.'),
    unsetValues: flag('Empty the field.'),
  }),
  LabelList: listPage('drive#labelList', 'Label', 'A page of the labels on a file.', {
    nextPageToken,
  }),
  LabelModification: object('What to do with a label: add it, change its fields or remove it.', {
    kind: kind('drive#labelModification'),
    fieldModifications: list('What to do with its fields.', {$ref: 'LabelFieldModification'}),
    labelId: text('ID of the label.', {
      annotations: {required: ['drive.files.modifyLabels']},
    }),
    removeLabel: flag('Take the label off the file.'),
  }),
  ModifyLabelsRequest: object('What to do with the labels on a file, all or nothing.', {
    kind: kind('drive#modifyLabelsRequest'),
    labelModifications: list('What to do with each label.', {$ref: 'LabelModification'}),
  }),
  ModifyLabelsResponse: object('What became of the labels on a file.', {
    kind: kind('drive#modifyLabelsResponse'),
    ...output({
      modifiedLabels: list('Labels that were added or changed, not those removed.', {
        $ref: 'Label',
      }),
    }),
  }),
} as const satisfies SchemaMap
