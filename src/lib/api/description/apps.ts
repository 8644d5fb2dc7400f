import type {MethodSources} from '#lib/api/types.js'
import {
  etag,
  flag,
  int32,
  listPage,
  ofKind,
  pathId,
  query,
  record,
  records,
  selfLink,
  text,
  texts,
} from './fields.js'
import {followScopes, lessScopes, scopes} from './scopes.js'

export const apps = {
  get: {
    path: 'apps/{appId}',
    httpMethod: 'GET',
    description: 'Show an app.',
    parameters: {appId: pathId('ID of the app.')},
    response: {$ref: 'App'},
    scopes: lessScopes(followScopes, 'drive.meet.readonly', 'drive.photos.readonly'),
  },
  list: {
    path: 'apps',
    httpMethod: 'GET',
    description: 'List the apps you have installed.',
    parameters: query({
      appFilterExtensions: text(
        'Only apps for these file extensions (or for appFilterMimeTypes), separated by commas.',
        {default: ''},
      ),
      appFilterMimeTypes: text(
        'Only apps for these media types (or for appFilterExtensions), separated by commas.',
        {default: ''},
      ),
      languageCode: text('Language of the texts, as a BCP 47 code such as "de".'),
    }),
    response: {$ref: 'AppList'},
    scopes: scopes('drive.apps.readonly'),
  },
} as const satisfies MethodSources

export const appsSchemas = ofKind({
  App: record('An app that opens or creates files.', {
    authorized: flag('The app may reach your files.'),
    createInFolderTemplate: text('Address that creates a file in the folder put for {folderId}.'),
    createUrl: text('Address that creates a file with the app.'),
    hasDriveWideScope: flag('The app may reach all your files.'),
    icons: records('Icons of the app.', {
      category: text('What the icon is for: application, document or documentShared.'),
      iconUrl: text('Address of the icon.'),
      size: int32('Longer side in pixels.'),
    }),
    id: text('ID of the app.'),
    installed: flag('You have installed the app.'),
    longDescription: text('What the app does, at length.'),
    name: text('Name of the app.'),
    objectType: text('What the app calls its files, if not by its own name.'),
    openUrlTemplate: text('Address that opens the files put for {ids} or {exportIds}.'),
    primaryFileExtensions: texts('File extensions the app is made for.'),
    primaryMimeTypes: texts('Media types the app is made for.'),
    productId: text('ID of the app in the shop.'),
    productUrl: text('Address of the app in the shop.'),
    secondaryFileExtensions: texts('File extensions the app can open too.'),
    secondaryMimeTypes: texts('Media types the app can open too.'),
    shortDescription: text('What the app does, in brief.'),
    supportsCreate: flag('The app can create files.'),
    supportsImport: flag('The app can import editor documents.'),
    supportsMultiOpen: flag('The app can open several files at once.'),
    supportsOfflineCreate: flag('The app can create files offline.'),
    useByDefault: flag('The app opens the types it supports unless you choose another.'),
  }),
  AppList: listPage('App', 'All apps you have installed.', {
    defaultAppIds: texts('IDs of the apps you use by default, the most important one last.'),
    etag,
    selfLink,
  }),
})
