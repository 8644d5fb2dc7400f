import type {Change} from '#lib/cli/changes/change.js'
import {effectiveRole, type Grantee, isOf, whoOf} from '#lib/cli/input/names/permissions.js'
import {didYouMean} from '#lib/cli/input/unknown-names.js'
import type {Step} from '#lib/cli/run/plan.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import {isNotFound, ServiceError} from '#lib/client/errors.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {expiringSteps} from './expiring-access.js'
import {grantRequest, type Mail, roleChangeRequest} from './permission-requests.js'
import {createOrigins, type FileAccess, grantsOf, isRoleAtLeast} from './read-access.js'

/** The columns of a change of access; `before` is the previous role. */
export const CHANGE_COLUMNS = ['file', 'fileId', 'who', 'role', 'before', 'change', 'id'] as const

/** A person and a file. */
export interface AccessPair {
  /** The file, as typed. */
  readonly file: string
  readonly who: Grantee
  /** The role in a record. */
  readonly role?: string
}

interface Planning {
  readonly client: Client
  /** The current permissions, by file as typed. */
  readonly accessByFile: ReadonlyMap<string, FileAccess>
  /** The web addresses of files that are shared with anyone, by ID. */
  readonly links?: ReadonlyMap<string, string>
  /** For a plan that is applied later: the permission IDs of people and groups without access, by address. */
  readonly permissionIds?: ReadonlyMap<string, string>
}

type Origins = ReturnType<typeof createOrigins>

/** The steps that give the person of each pair a role. */
export function sharingSteps(
  {client, accessByFile, links, permissionIds}: Planning,
  pairs: readonly AccessPair[],
  {role: defaultRole, expires, ...mail}: GrantOptions,
): Step[] {
  const origins = createOrigins(client)
  return pairs.flatMap(({file, who, role = defaultRole}): Step | Step[] => {
    const base = baseOf(file, who.word)
    const access = accessByFile.get(file)!
    if ('error' in access) return {...base, error: access.error}
    const {id: fileId, permissions} = access
    const link = who.type === 'anyone' ? links?.get(fileId) : undefined
    const linked = link === undefined ? {} : {link}
    const row = {file, fileId, who: who.word, role, ...linked}
    const change = {thing: file, who: whoText(who), role, ...linked}
    const decision = decideAccess(permissions, who, role, expires)
    switch (decision.do) {
      case 'give':
        const input = grantRequest(fileId, who, role, mail)
        const rowOf = (answer: Page | undefined) => ({
          ...{...row, change: 'shared', ...idOf(answer)},
          ...(expires !== undefined && {expirationDate: expires}),
        })
        const shared = (): Change => ({...change, action: 'share', ...mailOf(who, mail)})
        const recover = async (error: unknown) => ({error: ownerError(error, who, role)})
        const common = {...base, rowOf, change: shared, recover}
        if (expires === undefined) return {...common, call: {id: 'permissions.insert', input}}
        if (permissionIds) {
          return expiringSteps(common, input, {fileId, who, role, expires, permissionIds})
        }
        return {
          ...common,
          preview: async () => ['permissions.insert', input],
          // The service accepts an expiration only for an existing permission.
          async work() {
            const permission = await client.call('permissions.insert', input)
            const changed = roleChangeRequest(fileId, String(permission?.id), role, expires)
            return client.call('permissions.patch', changed)
          },
        }
      case 'change': {
        const {id, before} = decision
        return {
          ...base,
          call: {id: 'permissions.patch', input: roleChangeRequest(fileId, id, role, expires)},
          rowOf: answer => ({...row, before, change: 'changed', id, ...idOf(answer)}),
          change: () => ({...change, action: 'change role', from: before}),
          recover: async error => ({
            error: await inheritedError(
              error,
              origins,
              fileId,
              permissions.find(it => it.id === id)!,
            ),
          }),
        }
      }
      case 'nothing':
        return {
          ...base,
          isUnchanged: true,
          rowOf: () => ({...row, before: role, change: 'unchanged', id: decision.id}),
          change: () => ({...change, action: 'keep role'}),
        }
      case 'refuse':
        return {...base, error: decision.error}
    }
  })
}

/** The steps that remove the access of each pair. */
export async function unsharingSteps(
  {client, accessByFile}: Planning,
  pairs: readonly AccessPair[],
): Promise<Step[]> {
  const origins = createOrigins(client)
  const all = await Promise.all(
    pairs.map(async ({file, who}): Promise<Step[]> => {
      const base = baseOf(file, who.word)
      const access = accessByFile.get(file)!
      if ('error' in access) {
        const leaving = await leavingStep(client, access, file, who.word)
        return [leaving ?? {...base, error: access.error}]
      }
      const {id: fileId, permissions} = access
      const found = permissions.filter(permission => isOf(who, permission))
      if (found.length === 0) return [{...base, error: nobody(who.word, permissions)}]
      return Promise.all(
        found.map(async (permission): Promise<Step> => {
          const refusal = await refusalOf(origins, fileId, permission)
          if (refusal) return {...base, error: refusal}
          const id = String(permission.id)
          const before = effectiveRole(permission)
          return {
            ...base,
            call: {
              id: 'permissions.delete',
              input: {params: {fileId, permissionId: id, ...ALL_DRIVES}},
            },
            rowOf: () => ({file, who: who.word, fileId, before, change: 'ended', id}),
            change: () => ({action: 'unshare', thing: file, who: whoText(who)}),
            // Inherited access has ended with the grant on the folder above.
            recover: async error =>
              isNotFound(error)
                ? {record: undefined}
                : {error: await inheritedError(error, origins, fileId, permission)},
          }
        }),
      )
    }),
  )
  return all.flat()
}

/** A clearer error for a person who cannot become the owner; returns any other error unchanged. */
function ownerError(error: unknown, {word}: Grantee, role: string): unknown {
  const isRefused = error instanceof ServiceError && error.status === 400
  if (role !== 'owner' || !isRefused || !/\baccount\b/.test(error.message)) return error
  return new CommandError(
    'failed',
    `Cannot make ${word} the owner: the service has no account with this address.`,
    'Check the address, or pass --role writer to give write access.',
  )
}

/**
 * The step by which users remove their own access to a file whose permissions they cannot list; `undefined` for
 * any other error. The service refuses it for other people.
 */
async function leavingStep(
  client: Client,
  {id: fileId, error}: Extract<FileAccess, {readonly error: unknown}>,
  file: string,
  who: string,
): Promise<Step | undefined> {
  const isAddress = /.@/.test(who)
  if (!isAddress || fileId === undefined) return undefined
  if (!(error instanceof ServiceError) || error.status !== 403) return undefined
  const {id} = (await client.call('permissions.getIdForEmail', {params: {email: who}})) ?? {}
  if (typeof id !== 'string') return undefined
  return {
    ...baseOf(file, who),
    call: {
      id: 'permissions.delete',
      input: {params: {fileId, permissionId: id, ...ALL_DRIVES}},
    },
    rowOf: () => ({file, who, fileId, change: 'ended', id}),
    change: () => ({action: 'unshare', thing: file, who}),
  }
}

/** The error for access that is known to be impossible to remove here; `undefined` for any other. */
async function refusalOf(origins: Origins, fileId: string, permission: Page) {
  if (effectiveRole(permission) === 'owner') {
    return new CommandError(
      'conflict',
      `Cannot remove the access of ${whoOf(permission)}: owners always have access.`,
      TRANSFER_HINT,
    )
  }
  const grants = grantsOf(permission)
  return grants?.every(grant => grant.isInherited)
    ? inherited(origins, fileId, permission)
    : undefined
}

/** A clearer error for inherited access, with its source; returns any other error unchanged. */
async function inheritedError(
  error: unknown,
  origins: Origins,
  fileId: string,
  permission: Page,
): Promise<unknown> {
  const reasons = ['cannotDeletePermission', 'cannotModifyInheritedPermission']
  const isInherited = error instanceof ServiceError && reasons.includes(error.reason)
  return isInherited ? inherited(origins, fileId, permission) : error
}

async function inherited(origins: Origins, fileId: string, permission: Page) {
  const found = await origins.of(fileId, permission)
  const {from, role = effectiveRole(permission)} =
    found.find(origin => origin.from !== undefined) ?? {}
  const who = whoOf(permission)
  return new CommandError(
    'conflict',
    `Cannot change the access of ${who}: the role ${role} is inherited from ${from ?? 'a parent folder'}.`,
    `To remove it there, run \`drv unshare ${from ?? 'FOLDER'} ${who}\`.`,
  )
}

function nobody(who: string, permissions: readonly Page[]): CommandError {
  return new CommandError(
    'notFound',
    `Cannot remove the access of ${who}: they have no direct access.`,
    didYouMean(who, permissions.map(whoOf), 'To see who has access, run `drv share FILE`.'),
  )
}

/** The name of a step for one file and one person. */
function baseOf(file: string, who: string) {
  return {original: {file, who}, label: `${file} ${who}`}
}

function whoText({type, word}: Grantee): string {
  return type === 'anyone' ? 'anyone who has the link' : word
}

/** Whether an email is sent; only people and groups get one. */
function mailOf({type}: Grantee, {notify = true}: Mail): {readonly isMailed?: boolean} {
  return type === 'user' || type === 'group' ? {isMailed: notify} : {}
}

function idOf(answer: Page | undefined) {
  return typeof answer?.id === 'string' ? {id: answer.id} : {}
}

/** What sharing requires, given the existing permissions. */
export type AccessDecision =
  | {readonly do: 'give'}
  | {readonly do: 'change'; readonly id: string; readonly before: string}
  | {readonly do: 'nothing'; readonly id: string}
  | {readonly do: 'refuse'; readonly error: CommandError}

/** Decides how to give `who` the role, based on the existing permissions. */
export function decideAccess(
  permissions: readonly Page[],
  who: Grantee,
  role: string,
  expires?: string,
): AccessDecision {
  const known = permissions.find(permission => isOf(who, permission))
  if (!known) return {do: 'give'}
  const before = effectiveRole(known)
  const id = String(known.id)
  if (before === role && expires === undefined) return {do: 'nothing', id}
  if (before === 'owner') {
    return refused(`Cannot change the role of ${who.word}: this is the owner.`, TRANSFER_HINT)
  }
  const above = grantsOf(known)?.find(
    grant => grant.isInherited && !isRoleAtLeast(role, grant.role),
  )
  if (above) {
    const message = `Cannot lower the role of ${who.word}: the role ${above.role} is inherited.`
    return refused(message, INHERITED_HINT)
  }
  return {do: 'change', id, before}
}

const TRANSFER_HINT =
  'To transfer ownership, run `drv permissions update --role owner --transfer-ownership`.'
const INHERITED_HINT =
  'To see where it is inherited from, run `drv share FILE`, then lower it there.'

function refused(message: string, hint: string): AccessDecision {
  return {do: 'refuse', error: new CommandError('conflict', message, hint)}
}

/** The access to grant. */
interface GrantOptions extends Mail {
  readonly role: string
  /** When it ends, as an RFC 3339 time. */
  readonly expires?: string
}
