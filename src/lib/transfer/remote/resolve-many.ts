import type {Client} from '#lib/client/client.js'
import {lookTogether} from './find-names.js'
import {gatheredClient, isOfOneCall} from './gather.js'
import type {RemotePath} from './remote-path.js'
import {followPlace, type Found, missingAt, titlesIn} from './resolve.js'
import {type Candidate, type Choose, refuseToChoose, ResolveError} from './resolve-error.js'

/** Where one of many places leads, or why it leads nowhere. */
export type Located = {readonly found: Found} | {readonly error: unknown}

/** For so many places that lead nowhere the nearest name is told: each may be a request. */
const SUGGESTED = 20

/**
 * Follows many places, each as `resolveRemotePath` does alone, with few requests: what they need at the
 * same time is asked for together, and none of it twice. Gives what came of each, in their order.
 * `choose` is asked for one place at a time, and once where several places lead through the same
 * things. Throws what concerns all, such as a refused token or a network that is gone.
 */
export async function resolveRemotePaths(
  client: Client,
  places: readonly RemotePath[],
  choose: Choose = refuseToChoose,
): Promise<Located[]> {
  const together = gatheredClient(client)
  const looking = lookTogether(together)
  const ask = inTurn(choose)
  const distinct = new Map(places.map(place => [keyOf(place), place]))
  const located = await Promise.all(
    [...distinct.values()].map(place => locatedBy(followPlace(together, place, ask, looking))),
  )
  const results = new Map([...distinct.keys()].map((key, index) => [key, located[index]!]))
  return places.map(place => results.get(keyOf(place))!)
}

/** The same, with why where one leads to nothing, as `findRemotePath` tells it. */
export async function findRemotePaths(
  client: Client,
  places: readonly RemotePath[],
  choose: Choose = refuseToChoose,
): Promise<Located[]> {
  const all = await resolveRemotePaths(client, places, choose)
  const together = gatheredClient(client)
  const isLost = (located: Located) => 'found' in located && located.found.missing.length > 0
  const suggested = new Set(all.filter(isLost).slice(0, SUGGESTED))
  return Promise.all(
    all.map(async (located, index) => {
      if ('error' in located || !isLost(located)) return located
      const titles = suggested.has(located) ? await titlesIn(together, located.found) : []
      return {error: missingAt(places[index]!, located.found, titles)}
    }),
  )
}

function keyOf({start, names}: RemotePath): string {
  return JSON.stringify([start, names])
}

/** Where a place leads. Throws what concerns all. */
async function locatedBy(finding: Promise<Found>): Promise<Located> {
  try {
    return {found: await finding}
  } catch (error) {
    if (isOfOnePlace(error)) return {error}
    throw error
  }
}

function isOfOnePlace(error: unknown): boolean {
  return error instanceof ResolveError || isOfOneCall(error)
}

/** Asks one question after the other, and each once; none after one that ended all. */
function inTurn(choose: Choose): Choose {
  const answers = new Map<string, Promise<Candidate>>()
  let turn: Promise<unknown> = Promise.resolve()
  return (way, candidates) => {
    const key = JSON.stringify([way, candidates.map(({id}) => id)])
    const known = answers.get(key)
    if (known) return known
    const answer = turn.then(() => choose(way, candidates))
    answers.set(key, answer)
    turn = answer.catch((error: unknown) => {
      if (!isOfOnePlace(error)) throw error
    })
    turn.catch(() => undefined)
    return answer
  }
}
