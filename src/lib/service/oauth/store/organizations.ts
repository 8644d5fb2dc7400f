import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import {GRANT_APPLIES, grantParameters} from '#lib/service/store/sharing/access.js'
import type {ClosedDrives} from '#lib/service/store/store-call.js'
import type {User} from '#lib/service/store/users.js'

/**
 * An organization owns shared drives; everyone with access to one of them belongs to it. If it
 * requires single sign-on, classic personal tokens must be authorized for it by their user.
 * Fine-grained tokens are authorized when they are created, tokens of apps always (spec:
 * authorization.md, Authentication 7).
 */
export interface Organization {
  readonly id: number
  readonly name: string
  /** Whether it requires single sign-on. */
  readonly sso: 0 | 1
  readonly created_at: number
}

export function organizationById(store: Store, id: number): Organization | undefined {
  return store.get<Organization>('SELECT * FROM organizations WHERE id = :id', {id})
}

export function organizationByName(store: Store, name: string): Organization | undefined {
  return store.get<Organization>('SELECT * FROM organizations WHERE name = :name', {name})
}

/** Returns all organizations with the IDs of their shared drives, the oldest first. */
export function allOrganizations(store: Store): ReadonlyArray<Organization & {drives: string[]}> {
  const drives = store.all<{drive_id: string; organization_id: number}>(
    'SELECT drive_id, organization_id FROM organization_drives ORDER BY drive_id',
  )
  return store.all<Organization>('SELECT * FROM organizations ORDER BY id').map(organization => ({
    ...organization,
    drives: drives.filter(row => row.organization_id === organization.id).map(row => row.drive_id),
  }))
}

/** Creates an organization that owns these shared drives. */
export function createOrganization(
  store: Store,
  {name, sso, drives}: {name: string; sso: boolean; drives: readonly string[]},
  now: number,
): Organization {
  return store.write(() => {
    const {lastId} = store.run(
      'INSERT INTO organizations (name, sso, created_at) VALUES (:name, :sso, :now)',
      {name, sso: Number(sso), now},
    )
    for (const driveId of drives) {
      store.run('INSERT OR REPLACE INTO organization_drives VALUES (:driveId, :id)', {
        driveId,
        id: lastId,
      })
    }
    return organizationByName(store, name)!
  })
}

/** Returns the organizations with single sign-on that a user belongs to. */
export function ssoOrganizations(store: Store, user: User, now: number): readonly Organization[] {
  return store.all<Organization>(
    `SELECT o.* FROM organizations o
     WHERE o.sso = 1 AND EXISTS (
       SELECT 1 FROM organization_drives d JOIN permissions p ON p.file_id = d.drive_id
       WHERE d.organization_id = o.id AND ${GRANT_APPLIES})
     ORDER BY o.id`,
    grantParameters(user, now),
  )
}

/** Returns the shared drives of all organizations with single sign-on that a token is not authorized for. */
export function unauthorizedDrives(store: Store, tokenId: number): ClosedDrives {
  const rows = store.all<{drive_id: string; organization_id: number}>(
    `SELECT d.drive_id, d.organization_id
     FROM organizations o JOIN organization_drives d ON d.organization_id = o.id
     WHERE o.sso = 1 AND NOT EXISTS (
       SELECT 1 FROM sso_authorizations a
       WHERE a.token_id = :tokenId AND a.organization_id = o.id)`,
    {tokenId},
  )
  return new Map(rows.map(row => [row.drive_id, row.organization_id]))
}

/** Returns the IDs of the organizations that a token is authorized for. */
export function authorizedOrganizations(store: Store, tokenId: number): ReadonlySet<number> {
  const rows = store.all<{organization_id: number}>(
    'SELECT organization_id FROM sso_authorizations WHERE token_id = :tokenId',
    {tokenId},
  )
  return new Set(rows.map(row => row.organization_id))
}

export function authorizeForOrganization(store: Store, tokenId: number, id: number): void {
  store.run('INSERT OR IGNORE INTO sso_authorizations VALUES (:tokenId, :id)', {tokenId, id})
}

/** The data behind the URL for authorizing a token. */
export interface SsoRequest {
  readonly token_id: number
  readonly organization_id: number
  readonly expires_at: number
}

/** Stores the hash of the code in such a URL, and deletes expired ones. */
export function addSsoRequest(store: Store, code: string, request: SsoRequest, now: number): void {
  store.write(() => {
    store.run('DELETE FROM sso_requests WHERE expires_at <= :now', {now})
    store.run('INSERT INTO sso_requests VALUES (:hash, :token_id, :organization_id, :expires_at)', {
      ...request,
      hash: secretHash(code),
    })
  })
}

/** Returns the data behind the code of such a URL; `undefined` if it is unknown or expired. */
export function findRequest(store: Store, code: string, now: number): SsoRequest | undefined {
  return store.get<SsoRequest>(
    'SELECT * FROM sso_requests WHERE hash = :hash AND expires_at > :now',
    {hash: secretHash(code), now},
  )
}
