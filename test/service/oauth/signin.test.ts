import {expect, test} from 'vitest'
import {BUILTIN_CLIENT_ID, DEVICE_GRANT} from '#lib/api/wire.js'
import {startTestService} from '../harness.js'
import {hiddenFields, notesOf} from './calls.js'

test('a device signs in over HTTP and accesses files with its token', async () => {
  const service = await startTestService()
  try {
    const post = (path: string, form: Record<string, string>, headers = {}) =>
      service.send('POST', path, {
        token: null,
        body: new URLSearchParams(form).toString(),
        headers: {'content-type': 'application/x-www-form-urlencoded', ...headers},
      })
    const client = {client_id: BUILTIN_CLIENT_ID}
    const codes = new URLSearchParams(
      await (
        await post('/login/device/code', {...client, scope: 'drive.metadata.readonly'})
      ).text(),
    )
    const page = codes.get('verification_uri')!
    expect(page).toBe(new URL('/login/device', service.url).href)
    const entry = await service.send('GET', '/login/device', {token: null})
    const cookie = entry.headers.get('set-cookie')!.split(';')[0]!
    const form = {...hiddenFields(await entry.text()), user_code: codes.get('user_code')!}
    const confirm = await post('/login/device', form, {cookie})
    const decided = {...hiddenFields(await confirm.text()), decision: 'authorize'}
    const done = await post('/login/device', decided, {cookie})
    expect(notesOf(await done.text())).toRead()

    const poll = {...client, device_code: codes.get('device_code')!, grant_type: DEVICE_GRANT}
    const answer = await post('/login/oauth/access_token', poll, {accept: 'application/json'})
    const {access_token: token, scope} = (await answer.json()) as Record<string, string>
    expect(scope).toBe('drive.metadata.readonly')

    const user = await service.json('GET', '/user', {token})
    const about = await service.json('GET', 'about', {token})
    expect(about.status).toBe(200)
    expect(about.headers.get('x-oauth-scopes')).toBe(scope)
    expect(about.headers.get('x-oauth-client-id')).toBe(BUILTIN_CLIENT_ID)
    expect(about.body.user.emailAddress).toBe(user.body.email)
    const refused = await service.json('POST', 'files', {token, body: {title: 'a'}})
    expect(refused.status).toBe(403)
    expect(refused.body.error.errors[0].reason).toBe('insufficientPermissions')
  } finally {
    await service.close()
  }
})
