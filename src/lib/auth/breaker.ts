import {createHash} from 'node:crypto'
import {readdir, rm} from 'node:fs/promises'
import {join} from 'node:path'
import type {TokenGuard} from '#lib/client/tokenguard.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {readNote} from '#lib/platform/read-note.js'
import {writePrivately} from '#lib/platform/write-file.js'

/** How long a token that was refused is not sent again, in milliseconds. */
const REST = 5 * 60_000

/** Remembers for all commands on this machine which tokens were refused a little while ago. */
export interface Breaker extends TokenGuard {
  /** The token works: whatever was noted against it is forgotten. */
  cleared(token: string): Promise<void>
}

/**
 * A breaker over notes in the state directory, one file a token, named by a hash: several refused
 * attempts lock a user out (spec: authorization.md, Errors), so a fan of jobs with one dead token
 * must not make more than a few. Where nothing can be noted it lets everything pass.
 */
export function createBreaker(input: {
  /** Directory for what may be lost; `undefined` where there is none. */
  readonly state: string | undefined
  /** What the token is bound to: `local`, or the origin of the service. */
  readonly binding: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}): Breaker {
  const {state, binding, now} = input
  const directory = state && join(state, 'refused')
  const fileOf = (folder: string, token: string) =>
    join(folder, createHash('sha256').update(`${binding}\n${token}`).digest('hex'))
  return {
    async check(token) {
      if (!directory) return
      const age = now() - refusedAt(fileOf(directory, token))
      if (!isFresh(age)) return
      throw new SetupError(
        'sign-in',
        `${binding === 'local' ? 'The local service' : binding} refused this token ${ago(age)}, so drv did not send it again: several refused attempts lock you out. Sign in with \`drv auth login\`, put another token in DRV_TOKEN, or wait ${minutes(REST - age)}.`,
      )
    },
    async refused(token) {
      if (!directory) return
      await writePrivately(fileOf(directory, token), String(now())).catch(() => undefined)
      const names = await readdir(directory).catch(() => [])
      for (const name of names) {
        const file = join(directory, name)
        if (!isFresh(now() - refusedAt(file))) await rm(file, {force: true})
      }
    },
    async cleared(token) {
      if (!directory) return
      await rm(fileOf(directory, token), {force: true}).catch(() => undefined)
    },
  }
}

/** A time in the future comes from a clock that was set back: it counts for nothing. */
function isFresh(age: number): boolean {
  return age >= 0 && age < REST
}

/** When a token was refused; not a number where nobody noted that. */
function refusedAt(file: string): number {
  const text = readNote(file)
  return text === '' ? NaN : Number(text)
}

function ago(age: number): string {
  return age < 90_000 ? `${Math.round(age / 1000)} s ago` : `${minutes(age)} ago`
}

function minutes(milliseconds: number): string {
  const count = Math.max(1, Math.ceil(milliseconds / 60_000))
  return count === 1 ? 'a minute' : `${count} minutes`
}
