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

/** Parameters for processing uploaded content. */
const contentTreatment = query({
  ocr: off('Recognize text (OCR) in JPEG, PNG, GIF and PDF content.'),
  ocrLanguage: text('Language for text recognition, as a BCP 47 code.'),
  pinned: off('Keep this revision permanently; at most 200 per file.'),
  timedTextLanguage: text('Language of the subtitles.'),
  timedTextTrackName: text('Name of the subtitle track.'),
})

export const indexableContent = query({
  useContentAsIndexableText: off('Index the content for full-text search.'),
})

/** Parameters of `insert` and `copy`. */
export const creation = {
  ...query({
    convert: off('Convert the content to an editor document.'),
    visibility: text('Visibility of the new file; does not apply to editor documents.', {
      default: 'DEFAULT',
      enum: ['DEFAULT', 'PRIVATE'],
      enumDescriptions: [
        'As set in your account.',
        'Only you, and users with access to the folder.',
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

const reading = (acknowledgeAbuse: string, revisionId: string) => ({
  fileId,
  ...query({
    acknowledgeAbuse: off(acknowledgeAbuse),
    projection,
    revisionId: text(revisionId),
    updateViewedDate: flag('Deprecated: set updateViewedDate of files.update.', {
      default: 'false',
      deprecated: true,
    }),
  }),
  ...allDrives,
  ...itemView,
})

/** Parameters of `get`. */
export const getting = reading(
  'Download content flagged as harmful; owners and organizers only.',
  'ID of the revision to download.',
)

/** Parameters of `watch`, which accepts those of `get`. */
export const watching = reading(
  'Has no effect on notifications.',
  'Revision. Has no effect on notifications.',
)

/** Everything `patch` and `update` share: all except content upload. */
export const change = {
  parameters: {
    fileId,
    ...query({
      addParents: text('IDs of folders to add the file to, separated by commas.'),
      removeParents: text('IDs of folders to remove the file from, separated by commas.'),
      modifiedDateBehavior: text('How to set modifiedDate; overrides setModifiedDate.', {
        enum: ['fromBody', 'fromBodyIfNeeded', 'fromBodyOrNow', 'noChange', 'now', 'nowIfNeeded'],
        enumDescriptions: [
          'Take the date from the body.',
          'Take the date from the body, if the request changes a field that affects modifiedDate.',
          'Take the date from the body, or use the current time if it has none.',
          'Do not change the date.',
          'Use the current time.',
          'Use the current time, if the request changes a field that affects modifiedDate.',
        ],
      }),
      setModifiedDate: off(
        'Take modifiedDate from the body (same as modifiedDateBehavior=fromBodyOrNow) instead of the current time.',
      ),
      newRevision: on('Keep the previous content as a revision.'),
      updateViewedDate: on('Also update lastViewedByMeDate.'),
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
 * Media upload of any content type: simple uploads go to the path of the specification
 * (files-api.md, Endpoints, rule 2), resumable ones to the path in the public service's document.
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

/** Parameters and response of methods that take a file ID, have no body, and return the file. */
export const singleFile = {
  parameters: {fileId, ...allDrives, ...itemView},
  response: {$ref: 'File'},
} as const
