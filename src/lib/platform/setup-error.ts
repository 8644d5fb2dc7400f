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
