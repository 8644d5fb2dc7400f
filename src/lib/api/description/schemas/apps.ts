import {
  etag,
  flag,
  int32,
  kind,
  listPage,
  object,
  output,
  records,
  selfLink,
  text,
  texts,
} from '#lib/api/description/fields.js'
import type {SchemaMap} from '#lib/api/types.js'

export const appsSchemas = {
  App: object('An app that opens or creates files.', {
    kind: kind('drive#app'),
    ...output({
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
  }),
  AppList: listPage('drive#appList', 'App', 'All apps you have installed.', {
    defaultAppIds: texts('IDs of the apps you use by default, the most important one last.'),
    etag,
    selfLink,
  }),
} as const satisfies SchemaMap
