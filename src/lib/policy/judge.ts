import {isMutating} from '#lib/api/operations.js'
import type {BatchCall, Client} from '#lib/client/client.js'
import {isNotFound, refusesToken} from '#lib/client/errors.js'
import {
  type Limits,
  planError,
  PolicyError,
  type PolicyFolder,
  type PolicyLimit,
} from '#lib/config/policy.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {findRemotePath} from '#lib/transfer/remote/resolve.js'
import {followToFolder} from '#lib/transfer/remote/shortcuts.js'
import type {Cost} from './budget.js'
import {type ChangeFacts, changeFacts, type Deletion, type ProposedGrant} from './change-facts.js'
import {createFolders} from './folders.js'
import {refusedGrant, refusedPublication} from './sharing.js'

export interface JudgeOptions {
  readonly limits: Limits
  /** The client for questions to the service. */
  readonly client: () => Promise<Client>
  /** Whether the command is `drv apply`. */
  readonly appliesPlan: boolean
  readonly signal: AbortSignal
}

/** A change that may be sent. */
export interface ProposedChange extends Pick<BatchCall, 'id'> {
  readonly input: Parameters<typeof changeFacts>[0]['input']
  /** The name of the item in messages. */
  readonly label?: string
}

interface CostOptions {
  readonly planned?: PlannedItems
  /** Content of unknown size is counted while it is sent. */
  readonly isSession?: boolean
  /** The changes are shown or written to a plan, not made. */
  readonly isOnlyShown?: boolean
}

/** IDs of new items in a plan, with the folders that they will be in. */
export type PlannedItems = Map<string, readonly string[]>

/**
 * Checks each change against the limits that apply to it alone, and determines its cost for the limits that
 * apply to the whole command. Asks the service if the request is not enough; refuses without a response.
 */
export function createPolicyJudge({limits, client, appliesPlan, signal}: JudgeOptions) {
  const folders = createFolders(client)
  const {only, noPublic, noShareOutside, maxDelete, maxBytes, requirePlan} = limits
  const unknowable = only[0] ?? noShareOutside[0] ?? noPublic
  const sharing = noShareOutside[0] ?? noPublic

  /** The result of asking the service. Throws `PolicyError` without an answer. */
  async function ask<T>(
    limit: PolicyLimit<unknown>,
    what: string,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof PolicyError || error instanceof SetupError) throw error
      if (signal.aborted || refusesToken(error)) throw error
      const refusal = new PolicyError(limit, `cannot determine ${what}: ${sentence(error)}`)
      throw Object.assign(refusal, {cause: error})
    }
  }

  let allowed: Promise<ReadonlyArray<ReadonlySet<string>>> | undefined
  /** The IDs of the folders of each `only`. */
  function allowedFolders() {
    allowed ??= Promise.all(
      only.map(async limit => {
        const ids = limit.value.map(folder =>
          ask(limit, `where ${folder.path} is`, async () => folderId(await client(), folder)),
        )
        return new Set(await Promise.all(ids))
      }),
    )
    return allowed
  }

  async function checkFolders(all: readonly ChangeFacts[], planned: PlannedItems): Promise<void> {
    if (only.length === 0) return
    const sets = await allowedFolders()
    const isEnd = (id: string) => sets.every(set => set.has(id))
    const named = all.flatMap(({changed, into, besides}) => [...changed, ...into, besides ?? []])
    const start = named.flat().flatMap(id => originsOf(id, planned))
    await ask(only[0]!, 'which folders the items are in', () => folders.load(start, isEnd))
    for (const facts of all) {
      for (const [index, set] of sets.entries()) {
        const wrong = outsideOf(facts, set, planned)
        if (wrong !== undefined) {
          throw new PolicyError(only[index]!, `${wrong} outside the allowed folders`)
        }
      }
      if (facts.created !== undefined) planned.set(facts.created, placesOf(facts))
    }
  }

  /** The start of a sentence about what a change affects outside some folders; `undefined` if nothing. */
  function outsideOf(
    facts: ChangeFacts,
    set: ReadonlySet<string>,
    planned: PlannedItems,
  ): string | undefined {
    const {label, changed, removed, into, besides, outside, isBlind} = facts
    if (outside !== undefined) return `${outside} is`
    const isBelow = (id: string, seen: readonly string[] = []): boolean => {
      if (set.has(folders.idOf(id))) return true
      const parents = planned.get(id) ?? folders.get(id)?.parents ?? []
      if (seen.includes(id) || parents.length === 0) return false
      return parents.every(parent => isBelow(parent, [...seen, id]))
    }
    // The service itself refuses a change of an item that does not exist.
    const isMissing = (id: string) => !isBlind && !planned.has(id) && !folders.get(id)
    const isInside = (id: string) => isMissing(id) || isBelow(id)
    const isInFolder = (id: string) => {
      const parents = planned.get(id) ?? folders.get(id)?.parents ?? []
      return isMissing(id) || (parents.length > 0 && parents.every(parent => isBelow(parent)))
    }
    const isMyDrive = (id: string) => folders.idOf(id) === folders.idOf('root')
    const itemName = (id: string) => (isMyDrive(id) ? 'My Drive' : `item ${id}`)
    const name = (id: string) => (changed[0] === id ? label : undefined) ?? itemName(id)
    const wrong = changed.find(id => !isInside(id))
    if (wrong !== undefined) return `${name(wrong)} is`
    const taken = removed.find(id => !isInFolder(id))
    if (taken !== undefined) return `${name(taken)} would be removed from a folder`
    const target = into.find(id => !isBelow(id))
    if (target !== undefined) {
      return `the target ${isMyDrive(target) ? 'My Drive' : `folder ${target}`} is`
    }
    return besides !== undefined && !isInFolder(besides)
      ? `${label ?? `item ${besides}`} is in a folder`
      : undefined
  }

  /** The folders of a new item. */
  function placesOf({into, besides}: ChangeFacts): readonly string[] {
    return besides === undefined ? into : (folders.get(besides)?.parents ?? [])
  }

  async function checkSharing(all: readonly ChangeFacts[]): Promise<void> {
    if (!sharing) return
    for (const facts of all) {
      const label = facts.label ?? `item ${facts.changed[0] ?? ''}`
      const refused =
        facts.grants.map(grant => refusedGrant(limits, known(grant), label)).find(Boolean) ??
        refusedPublication(limits, facts, label)
      if (refused) throw refused
    }
    const changes = all.filter(({permission}) => permission !== undefined)
    if (changes.length === 0) return
    const existing = await ask(sharing, 'who has access', async () =>
      readPermissions(await client(), changes),
    )
    for (const [index, grant] of existing.entries()) {
      const {label, changed} = changes[index]!
      const refused = grant && refusedGrant(limits, grant, label ?? `item ${changed[0]}`)
      if (refused) throw refused
    }
  }

  async function deletionsOf(deletion: Deletion): Promise<number> {
    const limit = maxDelete!
    if (deletion.kind === 'one') return 1
    if (deletion.kind === 'trash') {
      const {driveId} = deletion
      return ask(limit, 'how many items the trash contains', () =>
        folders.inTrash(driveId, limit.value),
      )
    }
    const {id, isForGood} = deletion
    return ask(limit, 'how many items the folder contains', async () => {
      const item = folders.get(id)
      // A shared drive is the folder of its ID, even if it cannot be read like one.
      if (item && !item.isFolder && item.parents.length > 0) return 1
      return 1 + (await folders.inside(id, isForGood, limit.value))
    })
  }

  return {
    folders,
    /** Checks changes and returns the cost of each. `planned` gets the items that they create. */
    async costs(
      all: readonly ChangeFacts[],
      {planned = new Map(), isSession = false, isOnlyShown = false}: CostOptions = {},
    ): Promise<Cost[]> {
      if (requirePlan && !appliesPlan && !isOnlyShown && all.length > 0) {
        throw planError(requirePlan)
      }
      for (const {isKnown, id, bytes} of all) {
        if (!isKnown && unknowable) {
          throw new PolicyError(unknowable, `drv does not know what ${id} changes`)
        }
        if (maxBytes && bytes === undefined && !isSession) {
          throw new PolicyError(maxBytes, 'the size of the content is unknown')
        }
      }
      await checkSharing(all)
      await checkFolders(all, planned)
      if (maxDelete) {
        const items = all.flatMap(({deletions}) =>
          deletions.flatMap(one => (one.kind === 'item' ? [one.id] : [])),
        )
        await ask(maxDelete, 'what the items are', () => folders.load(items))
      }
      const costs: Cost[] = []
      for (const {deletions, bytes = 0} of all) {
        let sum = 0
        if (maxDelete) for (const deletion of deletions) sum += await deletionsOf(deletion)
        costs.push({changes: 1, deletions: sum, bytes})
      }
      return costs
    },
    /** The facts of changes, without reads. */
    async factsOf(changes: readonly ProposedChange[]): Promise<ChangeFacts[]> {
      const {operation} = await client()
      return changes.flatMap(({id, input, label}) => {
        const described = operation(id)
        return isMutating(described) ? [changeFacts({id, input}, described, label)] : []
      })
    },
  }
}

/** A grant whose receiver is named; without one, a user that no domain contains. */
function known({type, value}: ProposedGrant): ProposedGrant {
  return type === undefined && value === undefined ? {type: 'user'} : {type, value}
}

/** The ID of a folder that a policy names. */
async function folderId(client: Client, {path, id}: PolicyFolder): Promise<string> {
  if (id !== undefined) return id
  const found = await findRemotePath(client, parseRemotePath(path))
  const {entry} = await followToFolder(client, found)
  if (entry.kind === 'folder') return entry.id
  throw new Error('it is not a folder')
}

/** The existing items at which the folders of an item start: itself, or those of a planned one. */
function originsOf(id: string, planned: PlannedItems): string[] {
  const origins: string[] = []
  const seen = new Set<string>()
  const left = [id]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (seen.has(one)) continue
    seen.add(one)
    const parents = planned.get(one)
    if (parents) left.push(...parents)
    else origins.push(one)
  }
  return origins
}

/** Who has the permissions that some changes name; `undefined` for one that does not exist. */
async function readPermissions(
  client: Client,
  changes: readonly ChangeFacts[],
): Promise<Array<ProposedGrant | undefined>> {
  const calls = changes.map(({permission}): BatchCall => {
    const params = {...ALL_DRIVES, ...permission, fields: 'type,emailAddress,domain'}
    return {id: 'permissions.get', input: {params}}
  })
  const outcomes = calls.length > 1 ? await client.batch(calls) : undefined
  const grants: Array<ProposedGrant | undefined> = []
  for (const [index, {id, input}] of calls.entries()) {
    const outcome = outcomes?.[index]
    try {
      if (outcome && 'error' in outcome) throw outcome.error
      const {type, emailAddress, domain} =
        (outcome ? outcome.record : await client.call(id, input)) ?? {}
      const value = [emailAddress, domain].find(one => typeof one === 'string')
      grants.push({
        type: typeof type === 'string' ? type : 'user',
        ...(typeof value === 'string' && {value}),
      })
    } catch (error) {
      if (!isNotFound(error)) throw error
      grants.push(undefined)
    }
  }
  return grants
}

function sentence(error: unknown): string {
  return (error as Error).message.replace(/\.$/, '')
}
