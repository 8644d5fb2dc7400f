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

/** A source did not stay as it was. */
export function changed(path: string): TransferError {
  return new TransferError(
    'failed',
    `${path} changed while it was read, so nothing was made of it.`,
    'Try again when nobody writes to it.',
  )
}
