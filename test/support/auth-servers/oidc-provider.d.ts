/** The parts that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import type {IncomingMessage, RequestListener} from 'node:http'

  interface Context {
    readonly req: IncomingMessage
    readonly oidc: {readonly params?: Readonly<Record<string, string | undefined>>}
  }

  interface Exchange {
    readonly body?: Record<string, unknown>
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    callback(): RequestListener
    use(middleware: (context: Exchange, next: () => Promise<void>) => Promise<void>): void
    on(
      event: 'grant.success' | 'grant.error',
      hear: (context: Context, error?: Error) => void,
    ): this
    on(event: 'refresh_token.saved', hear: (token: {readonly grantId: string}) => void): this
    readonly RefreshToken: {revokeByGrantId(grantId: string): Promise<void>}
    readonly AccessToken: {find(token: string): Promise<{readonly scope?: string} | undefined>}
  }
}
