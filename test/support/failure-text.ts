/** Awaits `work`, which must fail; returns the message of the error, and its hint. */
export async function failureText(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    const {message, hint} = error as Error & {readonly hint?: string}
    return hint === undefined ? message : `${message}\n${hint}`
  }
  throw new Error('Nothing failed.')
}
