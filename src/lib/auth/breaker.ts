import {join} from 'node:path'
import {BarredTokenError, type TokenGuard} from '#lib/client/token-guard.js'
import {isFresh, nameFromKey, removeFiles, stateFile, timeFormat} from '#lib/platform/state-file.js'

/** Milliseconds for which a rejected token is not sent again. */
const REST = 5 * 60_000

/** Remembers recently rejected tokens for all commands on this machine. */
export interface Breaker extends TokenGuard {
  /** Forgets the rejection of a token that works again. */
  cleared(token: string): Promise<void>
}

/**
 * Keeps one state file per token, named by a hash. Several rejected attempts lock a user out (spec: authorization.md,
 * Errors), so parallel jobs with one invalid token must not add more. Without a directory, every token passes.
 */
export function createBreaker(input: {
  /** State directory, if there is one. */
  readonly state: string | undefined
  /** Service of the token: `local`, or an origin. */
  readonly binding: string
  /** Milliseconds since 1970. */
  readonly now: () => number
}): Breaker {
  const {state, binding, now} = input
  const directory = state && join(state, 'refused')
  const noteOf = (token: string) =>
    refusalIn(directory && join(directory, nameFromKey(`${binding}\n${token}`)))
  const isOver = (file: string) => !isFresh(refusalIn(file).read() ?? NaN, now(), REST)
  return {
    async check(token) {
      const time = noteOf(token).read()
      if (time === undefined || !isFresh(time, now(), REST)) return
      const age = now() - time
      throw new BarredTokenError(
        `${binding === 'local' ? 'The local service' : binding} rejected this token ${ago(age)}. drv did not send it again, because repeated rejections can lock your account. Run \`drv auth login\`, set DRV_TOKEN to another token, or wait ${minutes(REST - age)}.`,
      )
    },
    async refused(token) {
      await noteOf(token).tryWrite(now())
      if (directory) await removeFiles(directory, isOver)
    },
    async cleared(token) {
      await noteOf(token)
        .remove()
        .catch(() => undefined)
    },
  }
}

/** State file with the time of a rejection, in milliseconds since 1970. */
function refusalIn(file: string | undefined) {
  return stateFile({file, ...timeFormat})
}

function ago(age: number): string {
  if (age < 1000) return 'just now'
  return age < 90_000 ? `${Math.round(age / 1000)} s ago` : `${minutes(age)} ago`
}

function minutes(milliseconds: number): string {
  const count = Math.max(1, Math.ceil(milliseconds / 60_000))
  return count === 1 ? '1 minute' : `${count} minutes`
}
