import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {createService} from '#lib/service/index.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {temporaryFolder} from '../drv.js'
import {authorizeDevice, authorizeWeb} from '../person.js'
import {Control, type ForeignServer} from './foreign.js'

export interface LocalIssuerOptions {
  /** The kind of server to sign in to (default: a standard server). */
  readonly kind?: 'standard' | 'document'
  /** The file service names the issuer (RFC 9728). */
  readonly isNamed?: boolean
  /** Lifetime of access tokens in seconds (default: one hour). */
  readonly lifetime?: number
  /** In ms (default: 0). */
  readonly reuseInterval?: number
  /** The value of `--faults`. */
  readonly faults?: unknown
  readonly isPublic?: boolean
}

/** The local service itself, with an app whose tokens expire. It ignores `control.trouble`. */
export async function startLocalIssuer(options: LocalIssuerOptions = {}): Promise<ForeignServer> {
  const {kind = 'standard', isNamed = false, lifetime = 3600, reuseInterval, faults} = options
  const {isPublic = kind === 'standard'} = options
  const {path, remove} = temporaryFolder()
  const service = await createService({
    data: join(path, 'service'),
    namesIssuer: isNamed,
    pollInterval: 1,
    ...(faults !== undefined && {faults: readFaultPlan(JSON.stringify(faults))}),
  })
  onTestFinished(async () => {
    await service.close()
    remove()
  })
  const {store, url} = service
  const {clientId, secret} = createApp(
    store,
    {
      name: 'Test',
      deviceFlow: true,
      callbackUrl: 'http://127.0.0.1/callback',
      isPublic,
      tokenLifetime: lifetime * 1000,
      reuseInterval,
    },
    Date.now(),
  )
  class LocalControl extends Control {
    override expire(): void {
      store.run('UPDATE tokens SET expires_at = :now WHERE family_id IS NOT NULL', {now: 1})
    }
  }
  const issuer = kind === 'standard' ? `${url}/login/oauth` : url
  return {
    issuer,
    baseUrl: url,
    clientId,
    clientSecret: secret,
    env: {
      DRV_BASE_URL: url,
      ...(!isNamed && {DRV_AUTH_URL: issuer}),
      DRV_CLIENT_ID: clientId,
      ...(secret !== undefined && {DRV_CLIENT_SECRET: secret}),
    },
    asked: [],
    refreshes() {
      const sql = 'SELECT count(*) AS count FROM refresh_tokens WHERE used_at IS NOT NULL'
      return store.get<{count: number}>(sql, {})!.count
    },
    control: new LocalControl(),
    async accepts(token) {
      const headers = {authorization: `Bearer ${token}`}
      return (await fetch(`${url}/drive/v2/about`, {headers})).ok
    },
    authorizeDevice: (address, userCode, agrees = true) =>
      authorizeDevice(address, userCode, agrees ? 'authorize' : 'cancel'),
    authorizeWeb: (address, agrees = true) =>
      authorizeWeb(address, agrees ? 'authorize' : 'cancel'),
    endSignIns() {
      store.run('DELETE FROM token_families', {})
      return Promise.resolve()
    },
  }
}
