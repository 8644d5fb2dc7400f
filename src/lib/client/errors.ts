/** What can go wrong with a request, by what can be done about it. */

/** The service answered with an error (reference: protocols.md section 14, oauth.md section 6). */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    /**
     * The service's own reason (`notFound`, `rateLimitExceeded`, …), or '' where it gave none;
     * `rateLimitExceeded` also where only headers or words told of that.
     */
    readonly reason: string,
    /** The service's own words. */
    message: string,
    readonly details: {
      /** Name of the parameter, field or header at fault. */
      readonly location?: string
      /** Scopes the operation accepts and those the token has, where the answer told. */
      readonly acceptedScopes?: readonly string[]
      readonly tokenScopes?: readonly string[]
      /** Seconds the service asked to wait. */
      readonly retryAfter?: number
      /** Where a person can let this token into an organization (spec: authorization.md, Errors). */
      readonly ssoUrl?: string
    } = {},
  ) {
    super(message)
    this.name = 'ServiceError'
  }
}

/** No answer came: refused, reset, timed out, no such host. `message` is a whole sentence. */
export class NetworkError extends Error {
  constructor(
    message: string,
    readonly url: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'NetworkError'
  }
}

/** The proxy between this machine and the service did not let a request through. `message` is a whole sentence. */
export class ProxyError extends Error {
  constructor(
    message: string,
    /** What to do now. */
    readonly hint: string,
    /** Another attempt may find it better: it has let requests through before, or failed itself. */
    readonly mayPass: boolean,
  ) {
    super(message)
    this.name = 'ProxyError'
  }
}

/** The service answered with something that is no answer of this API. `message` is a whole sentence. */
export class ProtocolError extends Error {
  constructor(
    message: string,
    /** It looks like an answer of which the end is missing. */
    readonly isCutShort = false,
  ) {
    super(message)
    this.name = 'ProtocolError'
  }
}

/** A request that goes only with a token that the service is known to take was not sent with another. */
export class UnprovenTokenError extends Error {
  override readonly name = 'UnprovenTokenError'
}

/** The request cannot be sent as asked: a wrong parameter, content that changed. `message` is a whole sentence. */
export class InputError extends Error {
  override readonly name = 'InputError'
}
