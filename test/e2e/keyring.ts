import {spawn, spawnSync} from 'node:child_process'
import {mkdirSync} from 'node:fs'
import {createRequire} from 'node:module'
import {createInterface} from 'node:readline'
import {onTestFinished} from 'vitest'

/** A real secret service: a bus and an unlocked gnome-keyring of its own, for one test. */

const [SESSION, SEND, KEYRING] = ['dbus-run-session', 'dbus-send', 'gnome-keyring-daemon'] as const
const missing = [SESSION, SEND, KEYRING].filter(name => spawnSync('which', [name]).status !== 0)

/** Why there can be no keyring here; `undefined` where there can. */
export const missingKeyring: string | undefined =
  process.platform !== 'linux'
    ? 'The secret service is tested on Linux.'
    : missing.length > 0
      ? `Not installed: ${missing.join(', ')} (Debian: gnome-keyring, dbus-daemon).`
      : undefined

const SCRIPT = `
printf test-password | ${KEYRING} --unlock --components=secrets >/dev/null 2>&1
echo "$DBUS_SESSION_BUS_ADDRESS"
cat >/dev/null
`

const LIBRARY = createRequire(import.meta.url).resolve('@napi-rs/keyring')

export async function startKeyring(env: Readonly<Record<string, string>>) {
  mkdirSync(env.HOME!, {recursive: true})
  // No display: a prompt cannot be shown, which is what a server is like.
  const session = spawn(SESSION, ['--', 'sh', '-c', SCRIPT], {env, detached: true})
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

  /** Uses the library in a process of its own. */
  function entry(account: string, call: string): string {
    const code = `
      const {Entry} = require(${JSON.stringify(LIBRARY)})
      const entry = new Entry('drv', ${JSON.stringify(account)}, {linux: {store: 'secret-service'}})
      process.stdout.write(String(entry.${call}))`
    const {status, stdout, stderr} = spawnSync(process.execPath, ['-e', code], {env: inside})
    if (status !== 0) throw new Error(stderr.toString())
    return stdout.toString()
  }

  return {
    env: inside,
    /** What lies in the keyring, by another program than drv. */
    read: (account: string) => entry(account, 'getPassword()'),
    /** Puts something there that is no text. */
    corrupt: (account: string) => entry(account, 'setSecret(Buffer.from([0xff, 0xfe, 0, 0x80]))'),
    /** Locks it; nobody is there to unlock it again. */
    lock: () =>
      send(
        '/org/freedesktop/secrets',
        'org.freedesktop.Secret.Service.Lock',
        'array:objpath:/org/freedesktop/secrets/collection/login',
      ),
    /** Has its daemon answer nobody any more, though it lives. */
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
