import {join} from 'node:path'
import {accountKey} from '#lib/cli/context/completion-file.js'
import type {Context} from '#lib/cli/context/context.js'
import {nameFromKey, stateFile} from '#lib/platform/state-file.js'

/**
 * The ID that one's own account has in permissions; `undefined` where the service does not tell. It
 * is asked for once and kept with the profile's state.
 */
export async function ownPermissionId(
  context: Pick<Context, 'settings' | 'directories' | 'client'>,
): Promise<string | undefined> {
  const {state} = context.directories
  const nameOf = async () => nameFromKey(accountKey(await context.settings()))
  const file = stateFile({
    file: state && join(state, 'self', await nameOf()),
    parse: text => text || undefined,
    format: (id: string) => id,
    isPrivate: true,
  })
  const known = file.read()
  if (known !== undefined) return known
  const client = await context.client()
  const about = await client.call('about.get', {params: {fields: 'permissionId'}})
  const id = about?.permissionId
  if (typeof id !== 'string' || id === '') return undefined
  // Where nothing can be kept it is asked for again.
  await file.tryWrite(id)
  return id
}
