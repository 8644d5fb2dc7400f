import type {MethodSources} from '#lib/api/types.js'
import {
  etag,
  flag,
  int32,
  listPage,
  pathId,
  query,
  record,
  records,
  selfLink,
  text,
  texts,
  withKind,
} from './fields.js'
import {followScopes, scopes, withoutScopes} from './scopes.js'

export const apps = {
  get: {
    path: 'apps/{appId}',
    httpMethod: 'GET',
    description: 'Show an app.',
    parameters: {appId: pathId('ID of the app.')},
    response: {$ref: 'App'},
    scopes: withoutScopes(followScopes, 'drive.meet.readonly', 'drive.photos.readonly'),
  },
  list: {
    path: 'apps',
    httpMethod: 'GET',
    description: 'List the apps you have installed.',
    parameters: query({
      appFilterExtensions: text(
        'Only apps that open these file extensions, separated by commas; if media types are given too, apps that match either.',
        {default: ''},
      ),
      appFilterMimeTypes: text(
        'Only apps that open these media types, separated by commas; if file extensions are given too, apps that match either.',
        {default: ''},
      ),
      languageCode: text('Language of names and descriptions, as a BCP 47 code such as "de".'),
    }),
    response: {$ref: 'AppList'},
    scopes: scopes('drive.apps.readonly'),
  },
} as const satisfies MethodSources

export const appsSchemas = withKind({
  App: record('An app that opens or creates files.', {
    authorized: flag('The app is authorized to access your files.'),
    createInFolderTemplate: text('URL template that creates a file in the folder {folderId}.'),
    createUrl: text('URL that creates a file with the app.'),
    hasDriveWideScope: flag('The app can access all your files.'),
    icons: records('Icons of the app.', {
      category: text('Purpose of the icon: application, document or documentShared.'),
      iconUrl: text('URL of the icon.'),
      size: int32('Length of the longer side in pixels.'),
    }),
    id: text('ID of the app.'),
    installed: flag('You have installed the app.'),
    longDescription: text('Full description of the app.'),
    name: text('Name of the app.'),
    objectType: text("Name of the file type the app creates, if it differs from the app's name."),
    openUrlTemplate: text('URL template that opens the files {ids} or {exportIds}.'),
    primaryFileExtensions: texts('File extensions the app is designed for.'),
    primaryMimeTypes: texts('Media types the app is designed for.'),
    productId: text('ID of the app in the app store.'),
    productUrl: text('URL of the app in the app store.'),
    secondaryFileExtensions: texts('Other file extensions the app can open.'),
    secondaryMimeTypes: texts('Other media types the app can open.'),
    shortDescription: text('Short description of the app.'),
    supportsCreate: flag('The app can create files.'),
    supportsImport: flag('The app can import editor documents.'),
    supportsMultiOpen: flag('The app can open several files at once.'),
    supportsOfflineCreate: flag('The app can create files offline.'),
    useByDefault: flag('The app is your default for the types it supports.'),
  }),
  AppList: listPage('App', 'All apps you have installed.', {
    defaultAppIds: texts('IDs of your default apps, highest priority last.'),
    etag,
    selfLink,
  }),
})
