import {createHash} from 'node:crypto'
import {join} from 'node:path'
import {readPrivateFile, writePrivateFile} from '#lib/platform/private-file.js'
import type {Settings} from '#lib/config/settings.js'
import type {Context} from '#lib/cli/context/context.js'

/**
 * The ID that one's own account has in permissions; `undefined` where the service does not tell. It
 * is asked for once and kept with the profile's state.
 */
export async function ownPermissionId(
  context: Pick<Context, 'settings' | 'directories' | 'client'>,
): Promise<string | undefined> {
  const {state} = context.directories
  const file = state && join(state, 'self', nameFor(await context.settings()))
  const kept = file === undefined ? undefined : readPrivateFile(file)?.toString('utf8')
  if (kept) return kept
  const client = await context.client()
  const about = await client.call('about.get', {params: {fields: 'permissionId'}})
  const id = about?.permissionId
  if (typeof id !== 'string' || id === '') return undefined
  // Where nothing can be kept it is asked for again.
  if (file !== undefined) await writePrivateFile(file, id, {sync: true}).catch(() => undefined)
  return id
}

/** One name for an account at a service. Of a token that is not stored only the hash is known. */
function nameFor({binding, environmentToken, signIn}: Settings): string {
  const account = environmentToken ?? signIn?.user?.id ?? signIn?.user?.login ?? ''
  return createHash('sha256')
    .update(JSON.stringify([binding, account]))
    .digest('hex')
}
