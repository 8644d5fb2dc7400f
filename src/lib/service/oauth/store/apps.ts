import {randomText, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'

/** An app that asks users for tokens. */
export interface App {
  readonly client_id: string
  readonly name: string
  readonly secret_hash: string | null
  readonly home_url: string | null
  /** Where the web flow sends users back to; `null`: the app has no web flow. */
  readonly callback_url: string | null
  readonly device_flow: 0 | 1
  readonly suspended: 0 | 1
  /** How long its tokens live, in ms; `null`: until they are revoked. Tokens that expire come with a refresh token. */
  readonly token_lifetime: number | null
  /** For how long a used refresh token works again, in ms. */
  readonly reuse_interval: number
  /** JSON of `AppFacts`. */
  readonly facts: string
  readonly created_at: number
}

/** The words about an app, in one language. */
export interface AppTexts {
  readonly name?: string
  readonly objectType?: string
  readonly shortDescription?: string
  readonly longDescription?: string
}

/** What an app can do with files (reference: resources.md, App). What is missing it cannot do or does not say. */
export interface AppFacts extends Omit<AppTexts, 'name'> {
  /** Texts in other languages, by BCP 47 code. */
  readonly translations?: Readonly<Record<string, AppTexts>>
  readonly primaryMimeTypes?: readonly string[]
  readonly secondaryMimeTypes?: readonly string[]
  /** Without a dot. */
  readonly primaryFileExtensions?: readonly string[]
  readonly secondaryFileExtensions?: readonly string[]
  readonly icons?: ReadonlyArray<{category: string; iconUrl: string; size: number}>
  readonly openUrlTemplate?: string
  readonly createUrl?: string
  readonly createInFolderTemplate?: string
  readonly supportsImport?: boolean
  readonly supportsMultiOpen?: boolean
  readonly supportsOfflineCreate?: boolean
  readonly useByDefault?: boolean
  readonly productId?: string
  readonly productUrl?: string
}

/** What its owner says of an app; `null` says that it has none. */
interface AppSettings {
  readonly homeUrl?: string | null
  readonly callbackUrl?: string | null
  /** Off unless it is turned on (spec: authorization.md). */
  readonly deviceFlow?: boolean
  /** How long its tokens live, in ms; `null`: until they are revoked. */
  readonly tokenLifetime?: number | null
  /** For how long a used refresh token works again, in ms; not at all unless given. */
  readonly reuseInterval?: number | null
  readonly facts?: AppFacts
}

interface NewApp extends AppSettings {
  readonly name: string
  /** Made up where it is not given. */
  readonly clientId?: string
  /** For an app that cannot keep a secret: it gets none. */
  readonly isPublic?: boolean
}

export function appById(store: Store, clientId: string): App | undefined {
  return store.get<App>('SELECT * FROM apps WHERE client_id = :clientId', {clientId})
}

/** All apps, the oldest first. */
export function allApps(store: Store): readonly App[] {
  return store.all<App>('SELECT * FROM apps ORDER BY created_at, client_id')
}

/** Registers an app. The secret is in the answer only: the store keeps a hash. */
export function createApp(
  store: Store,
  {name, clientId, deviceFlow = false, isPublic = false, facts = {}, ...settings}: NewApp,
  now: number,
): {clientId: string; secret?: string} {
  const {homeUrl, callbackUrl, tokenLifetime, reuseInterval} = settings
  const id = clientId ?? randomText(store.random, 20)
  const secret = isPublic ? undefined : newSecret(store)
  store.run(
    `INSERT INTO apps (client_id, name, secret_hash, home_url, callback_url, device_flow,
       token_lifetime, reuse_interval, facts, created_at)
     VALUES (:id, :name, :secretHash, :homeUrl, :callbackUrl, :deviceFlow,
       :tokenLifetime, :reuseInterval, :facts, :now)`,
    {
      id,
      name,
      secretHash: secret === undefined ? null : secretHash(secret),
      homeUrl: homeUrl ?? null,
      callbackUrl: callbackUrl ?? null,
      deviceFlow: deviceFlow ? 1 : 0,
      tokenLifetime: tokenLifetime ?? null,
      reuseInterval: reuseInterval ?? 0,
      facts: JSON.stringify(facts),
      now,
    },
  )
  return {clientId: id, secret}
}

/** What is to be different about an app; `undefined` leaves it as it is, as do facts that are not given. */
interface AppChanges extends AppSettings {
  readonly name?: string
  /** A new secret ends the old one; without one the app is public. */
  readonly secret?: 'new' | 'none'
}

/** Changes an app. A new secret is in the answer only; another callback URL ends the codes under way. */
export function updateApp(
  store: Store,
  clientId: string,
  {name, secret, facts, ...settings}: AppChanges,
): {secret?: string} {
  const {homeUrl, callbackUrl, deviceFlow, tokenLifetime, reuseInterval} = settings
  const made = secret === 'new' ? newSecret(store) : undefined
  store.write(() => {
    const app = appById(store, clientId)!
    const kept = secret === undefined ? app.secret_hash : null
    if (callbackUrl !== undefined && callbackUrl !== app.callback_url) {
      // They were sent to an address that may not be the app's any more.
      store.run('DELETE FROM codes WHERE client_id = :clientId', {clientId})
    }
    store.run(
      `UPDATE apps SET name = :name, secret_hash = :secretHash, home_url = :homeUrl,
         callback_url = :callbackUrl, device_flow = :deviceFlow, token_lifetime = :tokenLifetime,
         reuse_interval = :reuseInterval, facts = :facts
       WHERE client_id = :clientId`,
      {
        clientId,
        name: name ?? app.name,
        secretHash: made === undefined ? kept : secretHash(made),
        homeUrl: homeUrl === undefined ? app.home_url : homeUrl,
        callbackUrl: callbackUrl === undefined ? app.callback_url : callbackUrl,
        deviceFlow: Number(deviceFlow ?? app.device_flow),
        tokenLifetime: tokenLifetime === undefined ? app.token_lifetime : tokenLifetime,
        reuseInterval: reuseInterval === undefined ? app.reuse_interval : (reuseInterval ?? 0),
        facts: JSON.stringify({...factsOf(app), ...facts}),
      },
    )
  })
  return {secret: made}
}

function newSecret(store: Store): string {
  return store.random(20).toString('hex')
}

/** Blocks an app, or lets it work again. While it is blocked its tokens open nothing. */
export function suspendApp(store: Store, clientId: string, suspended = true): void {
  store.run('UPDATE apps SET suspended = :suspended WHERE client_id = :clientId', {
    clientId,
    suspended: suspended ? 1 : 0,
  })
}

/** Removes an app, with its tokens and whatever sign-in was under way. What it made of files stays. */
export function deleteApp(store: Store, clientId: string, now: number): void {
  store.write(() => {
    // Revoked tokens outlive their app: further use of one is held against its user.
    store.run(
      `UPDATE tokens SET revoked_at = coalesce(revoked_at, :now), client_id = NULL
       WHERE client_id = :clientId`,
      {clientId, now},
    )
    for (const table of ['codes', 'device_grants', 'token_families', 'apps']) {
      store.run(`DELETE FROM ${table} WHERE client_id = :clientId`, {clientId})
    }
  })
}

/** What an app can do with files. */
export function factsOf(app: App): AppFacts {
  return JSON.parse(app.facts) as AppFacts
}
