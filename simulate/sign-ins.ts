import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Machine} from './action.js'
import {commandName, type Coverage} from './coverage.js'
import type {World} from './world.js'

/** The sign-ins of the machines: which may have expired, and all tokens that there ever were. */
export interface SignIns {
  isExpired(machine: Machine): boolean
  /** The clock of the service has exceeded the lifetime of all refresh tokens. */
  expireAll(): void
  /** Signs in again where the sign-in may have expired. A failure may prevent it; a later call tries again. */
  renew(): Promise<void>
  /** Reads the tokens that a machine has stored. */
  note(machine: Machine): void
  secrets(): readonly string[]
}

export function createSignIns(
  world: World,
  coverage: Coverage,
  log: (line: string) => void,
): SignIns {
  const expired = new Set<Machine>()
  const secrets = new Set(world.tokens.values())
  return {
    isExpired: machine => expired.has(machine),
    expireAll() {
      for (const machine of world.machines) if (machine.signsIn) expired.add(machine)
    },
    async renew() {
      const argv = ['auth', 'login', '--insecure-storage']
      for (const machine of expired) {
        const {code} = await world.run(machine, argv)
        log(`${machine.name}: drv ${argv.join(' ')} → ${code}`)
        coverage.count(commandName(argv), String(code))
        if (code === 0) expired.delete(machine)
      }
    },
    note({env}) {
      for (const secret of storedSecrets(env.HOME!)) secrets.add(secret)
    },
    secrets: () => [...secrets],
  }
}

/** The access and refresh tokens in the token store of a machine. */
function storedSecrets(home: string): string[] {
  const folder = join(home, 'config/drv/tokens')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .flatMap(name => readFileSync(join(folder, name), 'utf8').match(/drv[a-z]_\w{16,}/g) ?? [])
}
