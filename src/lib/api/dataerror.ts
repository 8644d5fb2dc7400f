/**
 * What client and service have to agree on: operations and what is read from their description, and
 * words for errors. It computes only: no file, no network and no clock, which are the business of
 * `../client` and `../service`.
 */

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
