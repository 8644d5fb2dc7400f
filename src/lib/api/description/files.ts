import type {MediaUpload, MethodSources} from '#lib/api/types.js'
import {flag, int32, query, text} from './fields.js'
import {
  allDrives,
  fileId,
  itemsFromAllDrives,
  itemView,
  off,
  on,
  paging,
  search,
  sharedDrive,
  singleParent,
} from './parameters.js'
import {followScopes, insertScopes, readScopes, scopes, writeScopes} from './scopes.js'

/** How the service treats content it takes in. */
const contentTreatment = query({
  ocr: off('Read the text in JPEG, PNG, GIF and PDF content.'),
  ocrLanguage: text('Language the text is in, as a BCP 47 code; helps ocr.'),
  pinned: off('Keep this revision for good; at most 200 a file.'),
  timedTextLanguage: text('Language of the subtitles.'),
  timedTextTrackName: text('Name of the subtitle track.'),
})

const indexableContent = query({
  useContentAsIndexableText: off('Find the file by the text of its content.'),
})

/** What a new file starts with. */
const creation = {
  ...query({
    convert: off('Turn the content into an editor document.'),
    visibility: text('Who sees the new file; does not apply to editor documents.', {
      default: 'DEFAULT',
      enum: ['DEFAULT', 'PRIVATE'],
      enumDescriptions: [
        'Whoever your own settings say.',
        'You, and whoever has access to the folder.',
      ],
    }),
  }),
  ...contentTreatment,
  ...allDrives,
  ...itemView,
  ...singleParent,
}

const projection = text('No longer has any effect.', {
  enum: ['BASIC', 'FULL'],
  enumDescriptions: ['No effect.', 'No effect.'],
  deprecated: true,
})

/** What `get` shows and `watch` waits for. */
const reading = {
  fileId,
  ...query({
    acknowledgeAbuse: off('Download content flagged as harmful; owners and organizers only.'),
    projection,
    revisionId: text('Download this revision; only together with alt=media.'),
    updateViewedDate: flag('Use updateViewedDate of files.update instead.', {
      default: 'false',
      deprecated: true,
    }),
  }),
  ...allDrives,
  ...itemView,
}

/** What `patch` and `update` have in common: all but the upload of content. */
const change = {
  parameters: {
    fileId,
    ...query({
      addParents: text('IDs of folders to put the file into, separated by commas.'),
      removeParents: text('IDs of folders to take the file out of, separated by commas.'),
      modifiedDateBehavior: text('What happens to modifiedDate; wins over setModifiedDate.', {
        enum: ['fromBody', 'fromBodyIfNeeded', 'fromBodyOrNow', 'noChange', 'now', 'nowIfNeeded'],
        enumDescriptions: [
          'Take the date from the body.',
          'Take the date from the body, if the request changes something that moves it.',
          'Take the date from the body, or now if there is none.',
          'Leave the date alone.',
          'Set the date to now.',
          'Set the date to now, if the request changes something that moves it.',
        ],
      }),
      setModifiedDate: off(
        'Take modifiedDate from the body, as modifiedDateBehavior=fromBodyOrNow does; otherwise it becomes now.',
      ),
      newRevision: on('Keep the old content as a revision; off overwrites it.'),
      updateViewedDate: on('Count the update as a view of yours.'),
      convert: flag('No longer has any effect.', {default: 'false', deprecated: true}),
    }),
    ...contentTreatment,
    ...indexableContent,
    ...allDrives,
    ...itemView,
    ...singleParent,
  },
  request: {$ref: 'File'},
  response: {$ref: 'File'},
  scopes: scopes(
    'drive',
    'drive.appdata',
    'drive.apps.readonly',
    'drive.file',
    'drive.metadata',
    'drive.scripts',
  ),
} as const

/**
 * Content of any type, sent in one go to the upload path of the specification (files-api.md,
 * Endpoints, rule 2), or in pieces to the path that the public service's document names for them.
 */
function upload(path: string) {
  return {
    supportsMediaUpload: true,
    mediaUpload: {
      accept: ['*/*'],
      maxSize: '5TB',
      protocols: {
        simple: {multipart: true, path: `/upload${path}`},
        resumable: {multipart: true, path: `/resumable/upload${path}`},
      },
    } satisfies MediaUpload,
  } as const
}

/** Operations on one file that need no body and answer with the file. */
const fileAlone = {
  parameters: {fileId, ...allDrives, ...itemView},
  response: {$ref: 'File'},
} as const

export const files = {
  copy: {
    path: 'files/{fileId}/copy',
    httpMethod: 'POST',
    description: 'Copy a file. You own the copy; permissions are not copied.',
    parameters: {fileId, ...creation},
    request: {$ref: 'File'},
    response: {$ref: 'File'},
    scopes: scopes(
      'drive',
      'drive.appdata',
      'drive.apps.readonly',
      'drive.file',
      'drive.photos.readonly',
    ),
  },
  delete: {
    path: 'files/{fileId}',
    httpMethod: 'DELETE',
    description:
      'Delete a file for good, past the trash. With a folder goes everything of yours below it.',
    parameters: {fileId, ...allDrives, ...singleParent},
    scopes: writeScopes,
  },
  emptyTrash: {
    path: 'files/trash',
    httpMethod: 'DELETE',
    description: 'Delete everything in your trash for good.',
    parameters: {
      ...query({driveId: text('Empty the trash of this shared drive instead.')}),
      ...singleParent,
    },
    scopes: scopes('drive'),
  },
  export: {
    path: 'files/{fileId}/export',
    httpMethod: 'GET',
    description: 'Download an editor document in another format, up to 10 MB.',
    parameters: {
      fileId,
      ...query({
        mimeType: text('Media type to export to; about.get lists them in exportFormats.', {
          required: true,
        }),
      }),
    },
    scopes: scopes('drive', 'drive.file', 'drive.meet.readonly', 'drive.readonly'),
    supportsMediaDownload: true,
    useMediaDownloadService: true,
  },
  generateIds: {
    path: 'files/generateIds',
    httpMethod: 'GET',
    description:
      'Reserve IDs for new files. With one of them an insert or a copy can safely be repeated.',
    parameters: query({
      maxResults: int32('How many IDs to return.', {
        default: '10',
        minimum: '1',
        maximum: '1000',
      }),
      space: text('Space the files will be in: drive or appDataFolder.', {default: 'drive'}),
      type: text('What the IDs are for: files, or shortcuts in the space drive.', {
        default: 'files',
      }),
    }),
    response: {$ref: 'GeneratedIds'},
    scopes: writeScopes,
  },
  get: {
    path: 'files/{fileId}',
    httpMethod: 'GET',
    description: "Show a file's metadata, or download its content with alt=media.",
    parameters: reading,
    response: {$ref: 'File'},
    scopes: readScopes,
    supportsMediaDownload: true,
    useMediaDownloadService: true,
    supportsSubscription: true,
  },
  insert: {
    path: 'files',
    httpMethod: 'POST',
    description: 'Create a file or a folder, with or without content.',
    parameters: {...creation, ...indexableContent},
    request: {$ref: 'File'},
    response: {$ref: 'File'},
    scopes: insertScopes,
    ...upload('/drive/v2/files'),
  },
  list: {
    path: 'files',
    httpMethod: 'GET',
    description: 'List or search your files. Trashed files are included unless q says otherwise.',
    parameters: {
      ...search,
      ...query({
        corpora: text(
          'Where to search: default, domain, drive (with driveId) or allDrives (slow).',
        ),
        corpus: text('Old name of corpora.', {
          enum: ['DEFAULT', 'DOMAIN'],
          enumDescriptions: ['Files you have opened.', 'Files shared with your domain.'],
          deprecated: true,
        }),
        projection,
        spaces: text('Spaces to search, separated by commas: drive, appDataFolder.'),
      }),
      ...sharedDrive('Shared drive to search; needs corpora=drive.'),
      ...paging('files', {default: '100', minimum: '0'}),
      ...itemsFromAllDrives,
      ...allDrives,
      ...itemView,
    },
    response: {$ref: 'FileList'},
    scopes: followScopes,
  },
  listLabels: {
    path: 'files/{fileId}/listLabels',
    httpMethod: 'GET',
    description: 'List the labels on a file.',
    parameters: {fileId, ...paging('labels', {default: '100', minimum: '1', maximum: '100'})},
    response: {$ref: 'LabelList'},
    scopes: scopes(
      'drive',
      'drive.file',
      'drive.meet.readonly',
      'drive.metadata',
      'drive.metadata.readonly',
      'drive.readonly',
    ),
  },
  modifyLabels: {
    path: 'files/{fileId}/modifyLabels',
    httpMethod: 'POST',
    description: 'Add, change or remove labels on a file. If one of them fails, none is changed.',
    parameters: {fileId},
    request: {$ref: 'ModifyLabelsRequest'},
    response: {$ref: 'ModifyLabelsResponse'},
    scopes: scopes('drive', 'drive.file', 'drive.metadata'),
  },
  patch: {
    path: 'files/{fileId}',
    httpMethod: 'PATCH',
    description: "Change a file's metadata. Fields you do not send stay as they are.",
    ...change,
  },
  touch: {
    path: 'files/{fileId}/touch',
    httpMethod: 'POST',
    description: "Set a file's modified date to now.",
    ...fileAlone,
    scopes: scopes('drive', 'drive.appdata', 'drive.apps.readonly', 'drive.file', 'drive.metadata'),
  },
  trash: {
    path: 'files/{fileId}/trash',
    httpMethod: 'POST',
    description: 'Move a file to the trash. With a folder goes everything in it.',
    ...fileAlone,
    scopes: insertScopes,
  },
  untrash: {
    path: 'files/{fileId}/untrash',
    httpMethod: 'POST',
    description: 'Take a file back out of the trash.',
    ...fileAlone,
    scopes: insertScopes,
  },
  update: {
    path: 'files/{fileId}',
    httpMethod: 'PUT',
    description:
      "Change a file's metadata, its content or both. Fields you do not send stay as they are.",
    ...change,
    ...upload('/drive/v2/files/{fileId}'),
  },
  watch: {
    path: 'files/{fileId}/watch',
    httpMethod: 'POST',
    description: 'Have a web address notified of changes to a file, for a day at most.',
    parameters: reading,
    request: {$ref: 'Channel'},
    response: {$ref: 'Channel'},
    scopes: readScopes,
    supportsSubscription: true,
  },
} as const satisfies MethodSources
