/** A problem with the configuration, the keychain or the sign-in that the user can fix. */
export class SetupError extends Error {
  constructor(
    readonly kind: 'sign-in' | 'configuration' | 'keychain' | 'environment',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'SetupError'
  }
}

/**
 * The data directory of the local service cannot be used. `message` is a sentence that names the path
 * and the problem, `hint` says what to do.
 */
export class DataError extends Error {
  constructor(
    message: string,
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'DataError'
  }
}
