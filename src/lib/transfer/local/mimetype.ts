import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'

/**
 * The media type that a name's ending speaks of. Endings of the service's own documents name types
 * that have no bytes, which a file cannot have.
 */
export async function mimeTypeOf(name: string): Promise<string | undefined> {
  const {default: mime} = await import('mime')
  const type = mime.getType(name)
  return type && !type.startsWith(EDITOR_TYPE_PREFIX) ? type : undefined
}
