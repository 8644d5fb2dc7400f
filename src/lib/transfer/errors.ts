/** What can go wrong with a transfer beyond what the service or the network say. */
export class TransferError extends Error {
  constructor(
    /** `content`: what arrived is not what was sent. `conflict`: something is in the way. */
    readonly kind: 'failed' | 'content' | 'conflict',
    /** A whole sentence. */
    message: string,
    /** What to do now. */
    readonly hint = '',
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'TransferError'
  }
}
