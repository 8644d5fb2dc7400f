import type {StoreKind} from '#lib/config/config.js'

/** The interface of all token stores, and the names of their entries. */

/** A store for secrets, with the method names of keytar and `tryOut`. Throws `SetupError('keychain')` if it is not usable. */
export interface CredentialStore {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  /** Returns whether there was an entry. */
  deletePassword(service: string, account: string): Promise<boolean>
  /** Throws unless a secret can be stored under these names. Changes nothing. */
  tryOut(service: string, account: string): Promise<void>
  /** Directory for the locks of entries, the same for all processes that share the store; `undefined` if none do. */
  readonly locks?: string
}

/** Opens a store; nothing is read or written before the first call. */
export type OpenStore = (kind: StoreKind) => CredentialStore

/** The service name of all entries of drv. */
export const SERVICE = 'drv'

/** The account of a token entry, which belongs to a profile and a service. */
export function accountOf({profile, binding}: {profile: string; binding: string}): string {
  return `${profile}@${binding}`
}

/** The account of a refresh token entry. */
export function refreshAccountOf({profile, binding}: {profile: string; binding: string}): string {
  return `refresh token of ${profile}@${binding}`
}

/** The account of a client secret entry. */
export function secretAccountOf({profile, binding}: {profile: string; binding: string}): string {
  return `client secret of ${profile}@${binding}`
}
