import {join} from 'node:path'
import {BarredTokenError, type TokenGuard} from '#lib/client/token-guard.js'
import {isFresh, nameFromKey, removeFiles, stateFile, timeFormat} from '#lib/platform/state-file.js'

/** How long a token that was refused is not sent again, in milliseconds. */
const REST = 5 * 60_000

/** Remembers for all commands on this machine which tokens were refused a little while ago. */
export interface Breaker extends TokenGuard {
  /** The token works: whatever was noted against it is forgotten. */
  cleared(token: string): Promise<void>
}

/**
 * A breaker over state files, one for each token, named by a hash: several refused attempts lock a user out (spec:
 * authorization.md, Errors), so many jobs with one dead token must not make more. Without a directory all pass.
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
  const noteOf = (token: string) =>
    refusalIn(directory && join(directory, nameFromKey(`${binding}\n${token}`)))
  const isOver = (file: string) => !isFresh(refusalIn(file).read() ?? NaN, now(), REST)
  return {
    async check(token) {
      const time = noteOf(token).read()
      if (time === undefined || !isFresh(time, now(), REST)) return
      const age = now() - time
      throw new BarredTokenError(
        `${binding === 'local' ? 'The local service' : binding} refused this token ${ago(age)}, so drv did not send it again: several refused attempts lock you out. Sign in with \`drv auth login\`, put another token in DRV_TOKEN, or wait ${minutes(REST - age)}.`,
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

/** When a token was refused, in milliseconds since 1970. */
function refusalIn(file: string | undefined) {
  return stateFile({file, ...timeFormat})
}

function ago(age: number): string {
  return age < 90_000 ? `${Math.round(age / 1000)} s ago` : `${minutes(age)} ago`
}

function minutes(milliseconds: number): string {
  const count = Math.max(1, Math.ceil(milliseconds / 60_000))
  return count === 1 ? 'a minute' : `${count} minutes`
}
