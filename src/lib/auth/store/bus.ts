import {connect} from 'node:net'

/** The session bus, over which Linux keeps secrets. The keychain library waits for it without end, and stops everything else meanwhile. */

/**
 * Whether the bus takes connections but says nothing to them within `limit` milliseconds. False
 * also where there is no bus, or none that can be asked: the library then fails at once by itself.
 */
export function isBusSilent(
  environment: Readonly<Record<string, string | undefined>>,
  limit: number,
): Promise<boolean> {
  const path = socketPath(environment)
  if (path === undefined) return Promise.resolve(false)
  return new Promise(resolve => {
    const socket = connect({path})
    const end = (isSilent: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(isSilent)
    }
    const timer = setTimeout(() => end(true), limit)
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
    // Every bus answers this greeting, be it with a refusal (D-Bus specification, Authentication).
    socket.on('connect', () => socket.write('\0AUTH\r\n'))
    socket.once('data', () => end(false))
  })
}

/** The socket that the address of the bus names; abstract ones begin with a zero byte. */
export function socketPath({
  DBUS_SESSION_BUS_ADDRESS: addresses,
  XDG_RUNTIME_DIR: runtime,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (!addresses) return runtime && `${runtime}/bus`
  const [first = ''] = addresses.split(';')
  const [, kind, value] = /^unix:(?:.*,)?(path|abstract)=([^,]*)/.exec(first) ?? []
  if (!value) return undefined
  const bytes = value.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  return kind === 'abstract' ? `\0${bytes}` : bytes
}
