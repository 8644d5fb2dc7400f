import {
  etag,
  flag,
  kind,
  listPage,
  nextLink,
  nextPageToken,
  object,
  output,
  selfLink,
  text,
} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const linksSchemas = {
  ChildList: listPage('drive#childList', 'ChildReference', 'A page of the files in a folder.', {
    etag,
    nextLink,
    nextPageToken,
    selfLink,
  }),
  ChildReference: object('A link from a folder to a file in it.', {
    kind: kind('drive#childReference'),
    id: text('ID of the file in the folder.', {
      annotations: {required: ['drive.children.insert']},
    }),
    ...output({childLink: text('Address of the file in the folder.'), selfLink}),
  }),
  ParentList: listPage('drive#parentList', 'ParentReference', 'All parent folders of a file.', {
    etag,
    selfLink,
  }),
  ParentReference: object('A link from a file to the folder it is in.', {
    kind: kind('drive#parentReference'),
    id: text('ID of the folder; root stands for the top of My Drive.', {
      annotations: {required: ['drive.parents.insert']},
    }),
    ...output({
      isRoot: flag('The folder is the top of My Drive.'),
      parentLink: text('Address of the folder.'),
      selfLink,
    }),
  }),
} as const satisfies SchemaMap
