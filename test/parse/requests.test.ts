import {mkdtempSync, readdirSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {outcomeOf, words} from './command.js'

const folder = mkdtempSync(join(tmpdir(), 'drv-'))
const upload = join(folder, 'Report (1).pdf')
writeFileSync(upload, 'content')
const bodyFile = join(folder, 'body.json')
writeFileSync(bodyFile, '{"title": "from a file", "labels": {"starred": true}}')

type Case = readonly [line: string, params: object, body?: object]

const shared = {supportsAllDrives: 'true'}
const sharedWatch = {...shared, includeItemsFromAllDrives: 'true'}
/** The requests contain only the values in the table. */
const fileFields = 'nextPageToken,items(kind,id,title,mimeType,fileSize,modifiedDate)'
const sharedList = {...sharedWatch, fields: fileFields}

const cases: readonly Case[] = [
  // Only given values are sent, and the parameters for shared drives.
  ['about get', {}],
  ['files list', sharedList],
  ['files trash ID', {fileId: 'ID', ...shared}],
  ['files trash ID --no-supports-all-drives', {fileId: 'ID', supportsAllDrives: 'false'}],
  ['files trash ID --supports-all-drives=false', {fileId: 'ID', supportsAllDrives: 'false'}],
  ['files trash ID --no-supportsAllDrives', {fileId: 'ID', supportsAllDrives: 'false'}],
  ['files trash ID --supportsAllDrives=true', {fileId: 'ID', ...shared}],
  [
    'files list --no-include-items-from-all-drives',
    {...sharedList, includeItemsFromAllDrives: 'false'},
  ],
  // Paths.
  ['children get FOLDER CHILD', {folderId: 'FOLDER', childId: 'CHILD'}],
  ['files trash -- -ID', {fileId: '-ID', ...shared}],
  ['permissions get-id-for-email a+b@example.org', {email: 'a+b@example.org'}],
  ['properties get ID "a key/with ?"', {fileId: 'ID', propertyKey: 'a key/with ?'}],
  // Queries: both spellings, types, enums, 64-bit numbers.
  ['files list --max-results 5', {...sharedList, maxResults: '5'}],
  ['files list --maxResults 5', {...sharedList, maxResults: '5'}],
  ['files list --max-results=0', {...sharedList, maxResults: '0'}],
  [`files list --q "title = 'x'"`, {...sharedList, q: "title = 'x'"}],
  ['files list --q ""', {...sharedList, q: ''}],
  ['about get --no-include-subscribed', {includeSubscribed: 'false'}],
  ['about get --start-change-id 9223372036854775807', {startChangeId: '9223372036854775807'}],
  ['about get --fields user,name --quota-user me', {fields: 'user,name', quotaUser: 'me'}],
  ['files list --limit 7', {...sharedList, maxResults: '7'}],
  ['files list --limit 5000', {...sharedList, maxResults: '1000'}],
  [
    'drives list --limit 500',
    {maxResults: '100', fields: 'nextPageToken,items(kind,id,name,hidden,createdDate)'},
  ],
  ['files list --limit 7 --max-results 3', {...sharedList, maxResults: '3'}],
  ['files list --all', {...sharedList, maxResults: '1000'}],
  ['files list --all --json', {...sharedWatch, maxResults: '1000'}],
  ['files list --all --format ndjson', {...sharedWatch, maxResults: '1000'}],
  [
    'files list --format table',
    {
      ...sharedList,
      fields:
        'nextPageToken,items(kind,title,mimeType,labels/trashed,fileSize,modifiedDate,ownerNames,id)',
    },
  ],
  ['files list --fields title', {...sharedWatch, fields: 'items(title)'}],
  [
    'changes list --all',
    {
      ...sharedWatch,
      maxResults: '1000',
      fields:
        'nextPageToken,newStartPageToken,items(kind,id,changeType,type,fileId,driveId,deleted,file/title,drive/name,modificationDate)',
    },
  ],
  ['parents list F', {fileId: 'F', fields: 'items(kind,id,isRoot)'}],
  ['files export ID --mime-type text/plain', {fileId: 'ID', mimeType: 'text/plain'}],
  ['files copy ID --visibility PRIVATE', {fileId: 'ID', visibility: 'PRIVATE', ...shared}, {}],
  // Bodies: separate flags, typed, take precedence over --body.
  ['files copy ID', {fileId: 'ID', ...shared}, {}],
  [
    'files copy ID --title t --parent F',
    {fileId: 'ID', ...shared},
    {title: 't', parents: [{id: 'F'}]},
  ],
  ['files insert --title t --parent root', shared, {title: 't', parents: [{id: 'root'}]}],
  ['files insert --no-writers-can-share', shared, {writersCanShare: false}],
  ['files insert --folderColorRgb #ff0000', shared, {folderColorRgb: '#ff0000'}],
  [
    `files insert --body '{"title": "a", "description": "b"}' --title c`,
    shared,
    {title: 'c', description: 'b'},
  ],
  [`files insert --body @${bodyFile}`, shared, {title: 'from a file', labels: {starred: true}}],
  // A field in an object of the body keeps the other fields of the object.
  ['files patch ID --starred', {fileId: 'ID', ...shared}, {labels: {starred: true}}],
  [
    `files patch ID --no-labels.starred --body '{"labels": {"viewed": true}}'`,
    {fileId: 'ID', ...shared},
    {labels: {viewed: true, starred: false}},
  ],
  [
    'files insert --shortcut-details.target-id T --title t',
    shared,
    {title: 't', shortcutDetails: {targetId: 'T'}},
  ],
  [`files patch ID --body '{"description": null}'`, {fileId: 'ID', ...shared}, {description: null}],
  [
    'permissions insert ID --role reader --type user --value a@example.org --additional-roles commenter',
    {fileId: 'ID', ...shared},
    {role: 'reader', type: 'user', value: 'a@example.org', additionalRoles: ['commenter']},
  ],
  [
    'permissions patch ID P --additional-roles commenter --additional-roles commenter',
    {fileId: 'ID', permissionId: 'P', ...shared},
    {additionalRoles: ['commenter', 'commenter']},
  ],
  // A query parameter keeps its name; the field of the same name is named after its record.
  [
    'properties patch ID k --visibility PRIVATE --property-visibility PUBLIC --value v',
    {fileId: 'ID', propertyKey: 'k', visibility: 'PRIVATE'},
    {visibility: 'PUBLIC', value: 'v'},
  ],
  [
    'properties insert ID --key k --visibility PUBLIC',
    {fileId: 'ID'},
    {key: 'k', visibility: 'PUBLIC'},
  ],
  // A field called token is no credential.
  [
    'files watch ID --address https://a.example/ --channel-token t --expiration 1795251600000',
    {fileId: 'ID', ...shared},
    {
      id: 'new-id',
      type: 'web_hook',
      address: 'https://a.example/',
      token: 't',
      expiration: '1795251600000',
    },
  ],
  [
    'changes watch --id mine --type webhook --address https://a.example/ --no-payload',
    sharedWatch,
    {id: 'mine', type: 'webhook', address: 'https://a.example/', payload: false},
  ],
  [
    `files watch ID --body '{"id": "b", "address": "https://a.example/", "params": {"ttl": "60"}}'`,
    {fileId: 'ID', ...shared},
    {id: 'b', type: 'web_hook', address: 'https://a.example/', params: {ttl: '60'}},
  ],
  ['channels stop --id c --resource-id r', {}, {id: 'c', resourceId: 'r'}],
  // Required unique values are generated by default.
  ['drives insert --name n', {requestId: 'new-id'}, {name: 'n'}],
  ['drives insert --name n --request-id r', {requestId: 'r'}, {name: 'n'}],
  // Deprecated spellings are still sent.
  ['files list --team-drive-id T', {...sharedList, teamDriveId: 'T'}],
  ['files list --projection FULL', {...sharedList, projection: 'FULL'}],
]

test.each(cases.map(([line, params, body]) => ({line, params, body})))(
  '$line',
  async ({line, params, body}) => {
    const [resource, verb, ...argv] = words(line)
    const outcome = await outcomeOf(`${resource} ${verb}`, argv)
    expect(outcome.error).toBeUndefined()
    expect(outcome.input?.params).toEqual(params)
    expect(outcome.input?.body).toEqual(body)
  },
)

test('a body may start with a byte order mark', async () => {
  const stdin = '\uFEFF{"title": "in"}'
  const {input} = await outcomeOf('files patch', ['ID', '--body', '-'], {stdin})
  expect(input?.body).toEqual({title: 'in'})
})

test('a body comes from standard input', async () => {
  const {input} = await outcomeOf('files patch', ['ID', '--body', '-'], {stdin: '{"title": "in"}'})
  expect(input?.body).toEqual({title: 'in'})
})

describe('content', () => {
  test('of a new file sets title and type', async () => {
    const {input} = await outcomeOf('files insert', [upload])
    expect(input?.body).toEqual({title: 'Report (1).pdf'})
    expect(input?.upload).toMatchObject({size: 7, mimeType: 'application/pdf'})
  })

  test('keeps the requested fields', async () => {
    const argv = [upload, '--title', 'mine', '--mime-type', 'text/x-mine']
    const {input} = await outcomeOf('files insert', argv)
    expect(input?.body).toEqual({title: 'mine', mimeType: 'text/x-mine'})
    expect(input?.upload?.mimeType).toBe('text/x-mine')
  })

  describe.each(['files update', 'files patch'])('of %s', name => {
    test('changes neither title nor type in the metadata', async () => {
      const {id, input} = await outcomeOf(name, ['ID', upload])
      expect(id).toBe('files.update')
      expect(input?.params).toMatchObject({fileId: 'ID', ...shared})
      expect(input?.body).toEqual({})
      expect(input?.upload).toMatchObject({size: 7, mimeType: 'application/pdf'})
    })

    test('is sent with the given metadata', async () => {
      const argv = ['ID', '-', '--title', 'new', '--mime-type', 'text/x-mine', '--new-revision']
      const {id, input} = await outcomeOf(name, argv, {stdin: 'piped'})
      expect(id).toBe('files.update')
      expect(input?.params).toMatchObject({fileId: 'ID', newRevision: 'true'})
      expect(input?.body).toEqual({title: 'new', mimeType: 'text/x-mine'})
      expect(input?.upload).toMatchObject({size: 5, mimeType: 'text/x-mine'})
    })

    test('is shown as the upload that it is', async () => {
      const {stdout, id} = await outcomeOf(name, ['ID', upload, '--dry-run', '--verbose'])
      expect(stdout).toMatch(
        /^Would update ID \(7 B\)\nPUT \S+\/upload\/drive\/v2\/files\/ID\?\S+\n\n\{\}\n$/,
      )
      // Only its name was resolved.
      expect(id).toBe('files.get')
    })
  })

  test('if missing, a patch stays a patch', async () => {
    expect((await outcomeOf('files patch', ['ID', '--title', 'x'])).id).toBe('files.patch')
    const {stdout} = await outcomeOf('files patch', ['ID', '--title', 'x', '-n', '--verbose'])
    expect(stdout).toMatch(/^Would rename ID to x\nPATCH /)
  })

  test('comes from standard input without a title, in one request if it is short', async () => {
    const {input} = await outcomeOf('files insert', ['-'], {stdin: 'streamed'})
    expect(input?.body).toEqual({})
    expect(input?.upload?.size).toBe(8)
    expect(String(input?.upload?.open())).toBe('streamed')
  })
})

describe('files get --download', () => {
  test.each([
    [['ID', '--download', '-']],
    [['--download', '-', 'ID']],
    [['ID', '--download=-', '--acknowledge-abuse']],
  ])('%j writes to standard output', async argv => {
    const {id, input, stdout} = await outcomeOf('files get', argv)
    expect(id).toBe('files.get')
    expect(input?.params.fileId).toBe('ID')
    expect(stdout).toBe('content')
  })
})

test.each([
  ['files get', ['ID'], {'files.get': {title: {toString: 'x'}}}, 'download'],
  ['files get', ['ID'], {'files.get': {title: ['..', '..']}}, 'download'],
  ['revisions get', ['ID', 'REV'], {'revisions.get': {originalFilename: 7}}, 'download'],
])('%s names a download whose title is not a string', async (name, ids, answers, title) => {
  const target = mkdtempSync(join(folder, 'nameless-'))
  await outcomeOf(name, [...ids, '--download', target], {answers})
  expect(readdirSync(target)).toEqual([title])
})

test('files export names a download whose title is not a string', async () => {
  const target = mkdtempSync(join(folder, 'nameless-'))
  const argv = ['ID', '--mime-type', 'application/pdf', '--output', target]
  await outcomeOf('files export', argv, {answers: {'files.get': {title: {}}}})
  expect(readdirSync(target)).toEqual(['download.pdf'])
})

describe('notes on standard error', () => {
  test.each([
    ['files list --include-team-drive-items', '--include-items-from-all-drives'],
    ['files list --supports-team-drives', '--supports-all-drives'],
    ['files list --corpus DOMAIN', '--corpora'],
    ['files list --projection FULL', 'No longer has any effect'],
    ['changes get 1', '`drv changes list`'],
    ['changes list --start-change-id 1', '--page-token'],
  ])('%s names %s', async (line, words_) => {
    const [resource, verb, ...argv] = words(line)
    const {stderr} = await outcomeOf(`${resource} ${verb}`, argv)
    expect(stderr).toContain('deprecated')
    expect(stderr).toContain(words_)
    expect((await outcomeOf(`${resource} ${verb}`, [...argv, '--quiet'])).stderr).toBe('')
  })
})
