import {Flags} from '@oclif/core'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {type ListenAddress, type NotificationReceiver, openReceiver} from '#lib/follow/receiver.js'
import {isOutOfFiles, RAISE_FILE_LIMIT, reasonOf} from '#lib/platform/system-errors.js'
import {parseUrl} from '#lib/platform/values.js'

/** The flags of commands that receive notifications, and their values. */

export const listenFlags = {
  listen: ranked(
    20,
    Flags.string({
      summary:
        'Receive notifications over HTTP at ADDRESS, such as 8080 or 127.0.0.1:8080 (default: a free port on 127.0.0.1).',
      helpValue: '[ADDRESS]',
    }),
  ),
  'public-url': ranked(
    21,
    Flags.string({
      summary: 'HTTPS URL of a proxy that forwards to the address of --listen.',
      helpValue: 'URL',
      dependsOn: ['listen'],
    }),
  ),
}

const LOOPBACK = '127.0.0.1'

/** The values of `--listen` and `--public-url`. */
export interface ListenTarget extends ListenAddress {
  readonly publicUrl?: string
}

/** The values of the flags; `undefined` without `--listen`. Throws `UsageError`. */
export function listenTargetOf(flags: FlagValues): ListenTarget | undefined {
  const {listen, 'public-url': url} = flags
  if (typeof listen !== 'string') return undefined
  return {...addressIn(listen), ...(typeof url === 'string' && {publicUrl: publicUrlIn(url)})}
}

/** `8080`, `127.0.0.1:8080`, `[::1]:8080` or a host; empty for a free port of this machine. */
function addressIn(text: string): ListenAddress {
  const [, bracketed, plain = bracketed, port = '0'] =
    /^(?:(?:\[([\da-f:.]+)\]|([a-z\d][a-z\d.-]*[a-z\d]|[a-z\d]))(?::(\d{1,5}))?)$/i.exec(text) ?? []
  if (text === '') return {host: LOOPBACK, port: 0}
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return {host: LOOPBACK, port: Number(text)}
  const isNumber = plain !== undefined && /^\d+$/.test(plain)
  if (plain !== undefined && !isNumber && Number(port) < 65_536) {
    return {host: plain, port: Number(port)}
  }
  throw new UsageError(
    `Invalid --listen: "${text}" is not an address.`,
    'Use a port (8080) or a host and a port (127.0.0.1:8080). To use a free port, pass --listen last, without a value.',
  )
}

function publicUrlIn(text: string): string {
  const url = parseUrl(text)
  const isPlain = url && url.username === '' && url.password === '' && url.hash === ''
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (isPlain && isAllowed) return url.href
  throw new UsageError(
    // It can contain a password.
    `Invalid --public-url${text.includes('@') ? '' : ` "${text}"`}: must be an HTTPS URL without a user name or fragment.`,
    'Use a URL such as https://hooks.example.com/drv.',
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
}

/** A receiver, and the URL to which the service sends notifications. */
export interface OpenedReceiver {
  readonly receiver: NotificationReceiver
  readonly address: string
}

/** Starts to listen. Throws `CommandError` if the address is not available. */
export async function openReceiverAt(
  target: ListenTarget,
  open = openReceiver,
): Promise<OpenedReceiver> {
  const {host, port, publicUrl} = target
  try {
    const receiver = await open(target)
    return {receiver, address: publicUrl ?? receiver.url}
  } catch (error) {
    throw new CommandError(
      'failed',
      `Cannot listen on ${host}:${port}: ${reasonOf(error)}.`,
      isOutOfFiles(error)
        ? RAISE_FILE_LIMIT
        : 'Pass another address to --listen; to use a free port, pass --listen last, without a value.',
    )
  }
}

/** Whether anyone on the network can send requests to an address. */
export function isExposed({host}: ListenAddress): boolean {
  return !isLoopback(host.includes(':') ? `[${host}]` : host)
}
