import {describe, expect, test} from 'vitest'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {ParameterTexts} from '#lib/client/client.js'
import {requestUrl, type UploadType} from '#lib/client/url.js'

const BASE = 'https://files.example.com'

const cases: Array<[string, OperationId, ParameterTexts, UploadType | undefined, string]> = [
  ['a plain path', 'files.get', {fileId: 'abc'}, undefined, '/drive/v2/files/abc'],
  ['a literal path', 'files.generateIds', {}, undefined, '/drive/v2/files/generateIds'],
  [
    'slashes, blanks and umlauts in a segment',
    'files.get',
    {fileId: 'a/b ü?#'},
    undefined,
    '/drive/v2/files/a%2Fb%20%C3%BC%3F%23',
  ],
  [
    'two path values, whatever their order',
    'permissions.get',
    {permissionId: 'p', fileId: 'f'},
    undefined,
    '/drive/v2/files/f/permissions/p',
  ],
  [
    'query values, only those that are set',
    'files.list',
    {q: "title = 'a+b & c'", supportsAllDrives: 'true'},
    undefined,
    '/drive/v2/files?q=title%20%3D%20%27a%2Bb%20%26%20c%27&supportsAllDrives=true',
  ],
  [
    'a list as repeated pairs',
    'files.list',
    {includeLabels: ['a', 'b']},
    undefined,
    '/drive/v2/files?includeLabels=a&includeLabels=b',
  ],
  [
    'a common parameter',
    'files.list',
    {'$.xgafv': '2', fields: 'items(id)'},
    undefined,
    '/drive/v2/files?%24.xgafv=2&fields=items%28id%29',
  ],
  [
    'an upload, with its own path',
    'files.insert',
    {pinned: 'true'},
    'multipart',
    '/upload/drive/v2/files?pinned=true&uploadType=multipart',
  ],
  [
    'an upload to a file',
    'files.update',
    {fileId: 'a b'},
    'media',
    '/upload/drive/v2/files/a%20b?uploadType=media',
  ],
]

describe('requestUrl', () => {
  test.each(cases)('%s', (_, id, params, uploadType, expected) => {
    expect(requestUrl(BASE, operation(id), params, uploadType)).toBe(BASE + expected)
  })

  test('keeps the path of the base URL, for uploads too', () => {
    const base = 'http://127.0.0.1:8080/storage'
    expect(requestUrl(base, operation('about.get'), {})).toBe(`${base}/drive/v2/about`)
    expect(requestUrl(base, operation('files.insert'), {}, 'media')).toBe(
      `${base}/upload/drive/v2/files?uploadType=media`,
    )
  })

  const refused: Array<[string, OperationId, ParameterTexts, UploadType | undefined, string]> = [
    ['a missing path value', 'files.get', {}, undefined, 'fileId'],
    ['an empty one', 'files.get', {fileId: ''}, undefined, 'fileId'],
    ['a step in the path', 'files.get', {fileId: '..'}, undefined, 'fileId'],
    [
      'the path of another operation',
      'files.delete',
      {fileId: 'trash'},
      undefined,
      'files.emptyTrash',
    ],
    ['it for content, too', 'files.update', {fileId: 'trash'}, 'media', 'files.emptyTrash'],
    ['a list in the path', 'files.get', {fileId: ['a']}, undefined, 'fileId'],
    ['an unknown name', 'files.get', {fileId: 'a', x: '1'}, undefined, '"x"'],
    ['an inherited name', 'files.list', {constructor: '1'}, undefined, 'constructor'],
    ['a token', 'files.list', {access_token: 't'}, undefined, 'access_token'],
    ['a token by its other name', 'files.list', {oauth_token: 't'}, undefined, 'oauth_token'],
    ['a way to upload', 'files.insert', {uploadType: 'media'}, 'media', 'uploadType'],
    ['content nobody takes', 'files.copy', {fileId: 'a'}, 'media', 'files.copy'],
  ]
  test.each(refused)('refuses %s', (_, id, params, uploadType, name) => {
    const sending = () => requestUrl(BASE, operation(id), params, uploadType)
    expect(sending).toThrow(name)
    expect(sending).toRead()
  })
})
