/** A failed transfer, other than errors of the service or the network. */
export class TransferError extends Error {
  constructor(
    /** `content`: the content was altered on the way. `conflict`: something is in the way. */
    readonly kind: 'failed' | 'content' | 'conflict',
    /** One or more sentences. */
    message: string,
    /** What the user can do; may be empty. */
    readonly hint = '',
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'TransferError'
  }
}

/** The error for a source that changed during the transfer. */
export function changed(path: string): TransferError {
  return new TransferError(
    'failed',
    `${path} changed while drv was reading it. The upload was canceled.`,
    'Run the same command again when no program is writing to the file.',
  )
}
