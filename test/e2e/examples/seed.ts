import {execFileSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {startTestService, type TestService} from '../../service/harness.js'
import {heard} from './files.js'

/** The files, shared drives and users in the service before an example runs. */

/** All scopes of an app, as sign-in requests them. */
const SCOPES = ['drive', 'drive.appdata', 'drive.apps.readonly'] as const
const DOCUMENT = 'application/vnd.google-apps.document'

/** Values that examples take from a variable, because users cannot guess them. */
export type Variables = Readonly<Record<string, string>>

export interface Seed {
  /** A token of `me` from a sign-in with drv. */
  readonly token: string
  /** A personal access token. */
  readonly personal: string
  readonly variables: Variables
}

/** Fills the data directory of a new service and closes it. */
export async function sow(data: string): Promise<Seed> {
  const service = await startTestService({data, now: Date.now(), fetch: heard})
  try {
    return await fill(service)
  } finally {
    await service.close()
  }
}

async function fill(service: TestService): Promise<Seed> {
  const token = service.token('me', SCOPES, 'drv-cli')
  const ben = service.token('ben', SCOPES)
  service.token('ada')

  const send = async (
    method: string,
    path: string,
    body?: unknown,
    more: {token?: string; query?: Record<string, string>; type?: string} = {},
  ) => {
    const {type, ...options} = {token, ...more}
    const query = {supportsAllDrives: 'true', ...more.query}
    const headers = type ? {'content-type': type} : undefined
    const answer = await service.json(method, path, {...options, query, body, headers})
    if (answer.status < 300) return answer.body
    throw new Error(`${method} ${path} answered ${JSON.stringify(answer.body)}`)
  }
  const make = async (title: string, parent = 'root', mimeType?: string, as = token) => {
    const body = {title, mimeType, parents: [{id: parent}]}
    return (await send('POST', 'files', body, {token: as})).id as string
  }
  const folder = (title: string, parent?: string) => make(title, parent, FOLDER_TYPE)
  const write = (id: string, content: string | Uint8Array, type: string, as = token) =>
    send('PUT', `/upload/drive/v2/files/${id}?uploadType=media`, content, {type, token: as})
  const file = async (
    title: string,
    parent: string,
    type: string,
    content: string | Uint8Array,
    as?: string,
  ) => {
    const id = await make(title, parent, type, as)
    await write(id, content, type, as)
    return id
  }
  const share = (id: string, body: object, as = token) =>
    send('POST', `files/${id}/permissions`, body, {
      token: as,
      query: {sendNotificationEmails: 'false'},
    })
  const give = (id: string, key: string, visibility: string) =>
    send('POST', `files/${id}/properties`, {key, value: 'green', visibility})
  const drive = (name: string) =>
    send('POST', 'drives', {name}, {query: {requestId: name}}) as Promise<{id: string}>

  const reports = await folder('Reports')
  const report = await file('q3.pdf', reports, 'application/pdf', '%PDF-1.4\nfirst\n')
  await write(report, '%PDF-1.4\nsecond\n', 'application/pdf')
  await share(report, {role: 'reader', type: 'user', value: 'ada@example.com'})
  await share(report, {role: 'reader', type: 'anyone', withLink: true})
  await give(report, 'color', 'PRIVATE')
  await give(report, 'color', 'PUBLIC')
  const notes = await file('notes.txt', reports, 'text/plain', 'notes\n')
  await give(notes, 'color', 'PRIVATE')
  const minutes = await send('POST', '/upload/drive/v2/files', 'minutes\n', {
    type: 'text/plain',
    query: {uploadType: 'media', convert: 'true'},
  })
  await send(
    'PATCH',
    `files/${minutes.id}`,
    {title: 'Minutes'},
    {
      query: {addParents: reports, removeParents: 'root'},
    },
  )
  if (minutes.mimeType !== DOCUMENT) throw new Error(`It became ${minutes.mimeType}.`)
  await file('q3.csv', await folder('2026', reports), 'text/csv', 'a,b\n1,2\n')

  const archive = await folder('Archive')
  await file('q1.pdf', archive, 'application/pdf', '%PDF-1.4\n')
  const here = fileURLToPath(new URL('.', import.meta.url))
  await file('src.tar', archive, 'application/x-tar', execFileSync('tar', ['c', '-C', here, '.']))
  const photos = await folder('photos', archive)
  await file('old.jpg', photos, 'image/jpeg', 'old\n')

  const logs = await folder('logs')
  for (const name of ['1.log', '2.log']) {
    const id = await file(name, logs, 'text/plain', `${name}\n`)
    await share(id, {role: 'writer', type: 'user', value: 'ada@example.com'})
  }
  const old = await file('q2.pdf', 'root', 'application/pdf', '%PDF-1.4\n')
  await send('POST', `files/${old}/trash`)
  const plan = await file('plan.txt', 'root', 'text/plain', 'plan\n', ben)
  await share(plan, {role: 'reader', type: 'user', value: 'me@example.com'}, ben)

  const finance = await drive('Finance')
  await drive('Marketing')
  await file('budget.csv', finance.id, 'text/csv', 'a,b\n1,2\n')
  const past = await file('2025.csv', finance.id, 'text/csv', 'a,b\n')
  await send('POST', `files/${past}/trash`)
  await folder('2026', finance.id)

  const app = {name: 'Photo Sync', deviceFlow: true, facts: {primaryFileExtensions: ['pdf']}}
  const {clientId} = createApp(service.store, app, service.clock.now)
  service.token('me', SCOPES, clientId)
  const revisions = (await send('GET', `files/${report}/revisions`)).items as {id: string}[]
  const {items: changes, largestChangeId} = await send('GET', 'changes')
  const channel = await send('POST', 'changes/watch', {
    id: 'reports',
    type: 'web_hook',
    address: 'https://example.com/hook',
  })
  return {
    token,
    personal: service.token('me', SCOPES),
    variables: {
      FILE_ID: report,
      REVISION_ID: revisions.at(-2)!.id,
      CHANGE_ID: changes[0].id,
      PAGE_TOKEN: String(Number(largestChangeId) - 3),
      CHANNEL_ID: channel.id,
      RESOURCE_ID: channel.resourceId,
      CLIENT_ID: clientId,
      APP_ID: clientId,
      DRIVE_ID: finance.id,
      END: new Date(service.clock.now + 30 * 24 * 3600_000).toISOString(),
    },
  }
}
