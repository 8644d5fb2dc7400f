import type {MediaUpload} from '#lib/api/types.js'
import {
  allDrives,
  exchange,
  fileId,
  flag,
  itemView,
  off,
  on,
  query,
  singleParent,
  text,
} from './fields.js'
import {scopes} from './scopes.js'

/** How the service treats content it takes in. */
const contentTreatment = query({
  ocr: off('Read the text in JPEG, PNG, GIF and PDF content.'),
  ocrLanguage: text('Language the text is in, as a BCP 47 code; helps ocr.'),
  pinned: off('Keep this revision for good; at most 200 a file.'),
  timedTextLanguage: text('Language of the subtitles.'),
  timedTextTrackName: text('Name of the subtitle track.'),
})

export const indexableContent = query({
  useContentAsIndexableText: off('Find the file by the text of its content.'),
})

/** What a new file starts with. */
export const creation = {
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

export const projection = text('No longer has any effect.', {
  enum: ['BASIC', 'FULL'],
  enumDescriptions: ['No effect.', 'No effect.'],
  deprecated: true,
})

/** What `get` shows and `watch` waits for. */
export const reading = {
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
export const change = {
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
  ...exchange('File'),
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
export function upload(path: string) {
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
export const fileAlone = {
  parameters: {fileId, ...allDrives, ...itemView},
  response: {$ref: 'File'},
} as const
