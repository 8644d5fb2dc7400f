import {spawn, spawnSync} from 'node:child_process'
import {mkdirSync} from 'node:fs'
import {createRequire} from 'node:module'
import {createServer} from 'node:net'
import {createInterface} from 'node:readline'
import {onTestFinished} from 'vitest'

/** A real secret service for one test: a bus with an unlocked gnome-keyring. */

const [SESSION, SEND, KEYRING] = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon'] as const
const missing = [SESSION, SEND, KEYRING].filter(name => spawnSync('which', [name]).status !== 0)

/** Why the tests cannot use a keyring on this machine; `undefined` if they can. */
export const missingKeyring: string | undefined =
  process.platform !== 'linux'
    ? 'The secret service is tested on Linux.'
    : missing.length > 0
      ? `Not installed: ${missing.join(', ')} (Debian: gnome-keyring, dbus-daemon).`
      : undefined

/** The initial state of the keyring: unlocked, or without the default collection. */
const BEGINNINGS = {
  unlocked: `printf test-password | ${KEYRING} --unlock --components=secrets`,
  'without a collection': `${KEYRING} --start --components=secrets`,
} as const

const script = (beginning: keyof typeof BEGINNINGS) => `
${BEGINNINGS[beginning]} >/dev/null 2>&1
echo "$DBUS_SESSION_BUS_ADDRESS"
cat >/dev/null
`

const LIBRARY = createRequire(import.meta.url).resolve('@napi-rs/keyring')

export async function startKeyring(
  env: Readonly<Record<string, string>>,
  beginning: keyof typeof BEGINNINGS = 'unlocked',
) {
  mkdirSync(env.HOME!, {recursive: true})
  // Without a display, a prompt cannot be shown, as on a server.
  const session = spawn(SESSION, ['--', 'sh', '-c', script(beginning)], {env, detached: true})
  onTestFinished(() => {
    session.stdin.end()
    process.kill(-session.pid!, 'SIGTERM')
  })
  const lines = createInterface({input: session.stdout})
  const address = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    session.once('close', () => reject(new Error('The keyring did not start.')))
  })
  const inside = {...env, DBUS_SESSION_BUS_ADDRESS: address}

  function send(path: string, method: string, ...args: string[]): string {
    const words = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', path, method]
    const {status, stdout, stderr} = spawnSync(SEND, [...words, ...args], {env: inside})
    if (status !== 0) throw new Error(stderr.toString())
    return stdout.toString()
  }

  /** Uses the library in a separate process. */
  function library(expression: string): string {
    const code = `
      const {Entry, findCredentials} = require(${JSON.stringify(LIBRARY)})
      process.stdout.write(String(${expression}))`
    const {status, stdout, stderr} = spawnSync(process.execPath, ['-e', code], {env: inside})
    if (status !== 0) throw new Error(stderr.toString())
    return stdout.toString()
  }

  const entry = (account: string, call: string) =>
    library(
      `new Entry('drv', ${JSON.stringify(account)}, {linux: {store: 'secret-service'}}).${call}`,
    )

  return {
    env: inside,
    /** The accounts for which drv stores a secret. */
    accounts: () =>
      JSON.parse(
        library(`JSON.stringify(findCredentials('drv').map(({account}) => account))`),
      ) as string[],
    /** The secret in the keyring, read by another program. */
    read: (account: string) => entry(account, 'getPassword()'),
    /** Stores bytes that are not text. */
    corrupt: (account: string) => entry(account, 'setSecret(Buffer.from([0xff, 0xfe, 0, 0x80]))'),
    /** Locks the keyring; nobody can unlock it. */
    lock: () =>
      send(
        '/org/freedesktop/secrets',
        'org.freedesktop.Secret.Service.Lock',
        'array:objpath:/org/freedesktop/secrets/collection/login',
      ),
    /** Freezes the daemon: it stays alive but does not respond. */
    freeze(): void {
      const reply = spawnSync(
        SEND,
        [
          '--session',
          '--print-reply=literal',
          '--dest=org.freedesktop.DBus',
          '/org/freedesktop/DBus',
          'org.freedesktop.DBus.GetConnectionUnixProcessID',
          'string:org.freedesktop.secrets',
        ],
        {env: inside},
      )
      const pid = Number(/uint32 (\d+)/.exec(reply.stdout.toString())?.[1])
      process.kill(pid, 'SIGSTOP')
      onTestFinished(() => void process.kill(pid, 'SIGKILL'))
    },
  }
}

/**
 * An environment in which drv waits `times` as long for a keychain: almost not at all, or forever, so that tests
 * do not depend on the load of the machine.
 */
export function withPatience(
  env: Readonly<Record<string, string>>,
  times: number,
): Record<string, string> {
  const clock = `
    const start = globalThis.setTimeout
    globalThis.setTimeout = (work, delay, ...more) =>
      start(work, delay > 2000 && delay < 5000 ? Math.min(delay * ${times}, 2 ** 31 - 1) : delay, ...more)`
  return {...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}`}
}

/**
 * A bus that accepts connections at `path`. It either sends nothing, or authenticates everyone and then never
 * responds to calls. Returns the environment for it.
 */
export async function startMuteBus(
  env: Readonly<Record<string, string>>,
  path: string,
  greets: boolean,
): Promise<Record<string, string>> {
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    // Readline emits the errors of its input too.
    const lines = createInterface({input: socket}).on('error', () => undefined)
    lines.on('line', line => {
      // D-Bus specification, Authentication Protocol.
      if (!greets) return
      if (line.includes('AUTH EXTERNAL')) socket.write(`OK ${'0'.repeat(32)}\r\n`)
      else if (line.includes('AUTH')) socket.write('REJECTED EXTERNAL\r\n')
      else if (line.startsWith('NEGOTIATE')) socket.write('AGREE_UNIX_FD\r\n')
    })
  })
  await new Promise<void>(resolve => server.listen(path, resolve))
  onTestFinished(() => void server.close())
  return {...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`}
}
