import type {StoreKind} from '#lib/config/config.js'

/** The places where secrets are kept live here. What the secrets are for belongs to the room above. */

/** A place for secrets, with keytar's names and one more. Fails with `SetupError('keychain')` when it cannot be used. */
export interface CredentialStore {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  /** Whether there was one. */
  deletePassword(service: string, account: string): Promise<boolean>
  /** Fails unless a secret can be kept under these names. Leaves everything as it was. */
  tryOut(service: string, account: string): Promise<void>
  /** Directory for locks of what is kept there, the same for all who can get at it; without one nobody else can. */
  readonly locks?: string
}

/** Opens a store; nothing is touched before one of its functions is called. */
export type OpenStore = (kind: StoreKind) => CredentialStore

/** The name all tokens of this program are kept under. */
export const SERVICE = 'drv'

/** The account a token is kept under: it belongs to a profile and to the service it was given for. */
export function accountOf({profile, binding}: {profile: string; binding: string}): string {
  return `${profile}@${binding}`
}

/** The account the refresh token of a sign-in is kept under. */
export function refreshAccountOf({profile, binding}: {profile: string; binding: string}): string {
  return `refresh token of ${profile}@${binding}`
}

/** The account the client secret of a profile's own app is kept under. */
export function secretAccountOf({profile, binding}: {profile: string; binding: string}): string {
  return `client secret of ${profile}@${binding}`
}
