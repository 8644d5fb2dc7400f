import {randomText, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'

/** An app that requests tokens from users. */
export interface App {
  readonly client_id: string
  readonly name: string
  readonly secret_hash: string | null
  readonly home_url: string | null
  /** The URL to which the web flow redirects; `null` if the app cannot use the web flow. */
  readonly callback_url: string | null
  readonly device_flow: 0 | 1
  readonly suspended: 0 | 1
  /** Lifetime of its access tokens in ms; `null`: until they are revoked. Expiring tokens come with a refresh token. */
  readonly token_lifetime: number | null
  /** Time in ms after its first use in which a refresh token still works. */
  readonly reuse_interval: number
  /** JSON of `AppFacts`. */
  readonly facts: string
  readonly created_at: number
}

/** The texts about an app in one language. */
export interface AppTexts {
  readonly name?: string
  readonly objectType?: string
  readonly shortDescription?: string
  readonly longDescription?: string
}

/** The abilities and texts of an app (reference: resources.md, App). All fields are optional. */
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

/** The settings of an app; `null` removes a setting. */
interface AppSettings {
  readonly homeUrl?: string | null
  readonly callbackUrl?: string | null
  /** Whether the app may use the device flow (default: false; spec: authorization.md). */
  readonly deviceFlow?: boolean
  /** Lifetime of access tokens in ms; `null`: until they are revoked. */
  readonly tokenLifetime?: number | null
  /** Time in ms after its first use in which a refresh token still works (default: 0). */
  readonly reuseInterval?: number | null
  readonly facts?: AppFacts
}

interface NewApp extends AppSettings {
  readonly name: string
  /** The client ID (default: generated). */
  readonly clientId?: string
  /** Whether to create a public client, without a secret. */
  readonly isPublic?: boolean
}

export function appById(store: Store, clientId: string): App | undefined {
  return store.get<App>('SELECT * FROM apps WHERE client_id = :clientId', {clientId})
}

/** Returns all apps, the oldest first. */
export function allApps(store: Store): readonly App[] {
  return store.all<App>('SELECT * FROM apps ORDER BY created_at, client_id')
}

/** Registers an app. Returns its secret, which cannot be read again: the store keeps only a hash. */
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

/** Changes of an app; `undefined` leaves a setting as it is, as do missing facts. */
interface AppChanges extends AppSettings {
  readonly name?: string
  /** `new` replaces the secret; `none` removes it, which makes the app a public client. */
  readonly secret?: 'new' | 'none'
}

/** Changes an app. Returns its new secret, if any. A new callback URL deletes unused authorization codes. */
export function updateApp(
  store: Store,
  clientId: string,
  {name, secret, facts, ...settings}: AppChanges,
): {secret?: string} {
  const {homeUrl, callbackUrl, deviceFlow, tokenLifetime, reuseInterval} = settings
  const created = secret === 'new' ? newSecret(store) : undefined
  store.write(() => {
    const app = appById(store, clientId)!
    const kept = secret === undefined ? app.secret_hash : null
    if (callbackUrl !== undefined && callbackUrl !== app.callback_url) {
      // They were sent to a URL that may no longer belong to the app.
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
        secretHash: created === undefined ? kept : secretHash(created),
        homeUrl: homeUrl === undefined ? app.home_url : homeUrl,
        callbackUrl: callbackUrl === undefined ? app.callback_url : callbackUrl,
        deviceFlow: Number(deviceFlow ?? app.device_flow),
        tokenLifetime: tokenLifetime === undefined ? app.token_lifetime : tokenLifetime,
        reuseInterval: reuseInterval === undefined ? app.reuse_interval : (reuseInterval ?? 0),
        facts: JSON.stringify({...appFacts(app), ...facts}),
      },
    )
  })
  return {secret: created}
}

function newSecret(store: Store): string {
  return store.random(20).toString('hex')
}

/** Suspends an app, or lifts the suspension. Tokens of a suspended app are invalid. */
export function suspendApp(store: Store, clientId: string, suspended = true): void {
  store.run('UPDATE apps SET suspended = :suspended WHERE client_id = :clientId', {
    clientId,
    suspended: suspended ? 1 : 0,
  })
}

/** Deletes an app, its tokens and its unfinished sign-ins. Keeps the files that it created. */
export function deleteApp(store: Store, clientId: string, now: number): void {
  store.write(() => {
    // Revoked tokens stay in the store, because attempts to use them count against their user.
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

/** Parses the facts of an app. */
export function appFacts(app: App): AppFacts {
  return JSON.parse(app.facts) as AppFacts
}
