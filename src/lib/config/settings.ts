import type {SignInNote} from './config.js'

/** Where an address comes from; `default`: from the other one, or from nothing at all. */
export type AddressSource = 'flag' | 'environment' | 'profile' | 'default'

/** What says that nothing is to be changed: a flag, `DRV_READ_ONLY`, or the profile itself. */
export type ReadOnlySource = 'flag' | 'environment' | 'profile'

/** Where and as whom a command works, after flags, environment and profile are laid over each other. */
export interface Settings {
  readonly profile: string
  /** The service runs inside the command, over the default data directory: `baseUrl` comes when it is up. */
  readonly embedded: boolean
  /** Address of the file service, no slash at the end; `undefined` when embedded. */
  readonly baseUrl?: string
  /** Address of the authorization service, no slash at the end; `undefined` when embedded. */
  readonly authUrl?: string
  /** Where the addresses come from; `undefined` when embedded. */
  readonly sources?: {readonly baseUrl: AddressSource; readonly authUrl: AddressSource}
  readonly clientId: string
  /** A token from the environment: beats every store, is never stored. */
  readonly environmentToken?: string
  /** What a stored token is bound to beside the profile: `local` when embedded, else the origin of `baseUrl`. */
  readonly binding: string
  /** What is noted of this profile's sign-in to this service; `undefined` when nobody signed in. */
  readonly signIn?: SignInNote
  /** What says that nothing is to be changed; `undefined` or none where things may be. */
  readonly readOnly?: readonly ReadOnlySource[]
}
