/** Something is wrong with the configuration, the keychain or the sign-in, and the person can mend it. */
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
 * The data of an embedded service cannot be used as they are: `message` is a whole sentence that
 * names the path and what is wrong with it, `hint` says what to do now. It is thrown by the service
 * and told by whoever started it.
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
