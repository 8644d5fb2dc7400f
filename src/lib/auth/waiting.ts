import {createInterface} from 'node:readline'
import type {Readable, Writable} from 'node:stream'
import type {DeviceCode} from './meaning.js'

/** What a person sees and can do while a sign-in waits for the browser. */

/** What to do with the codes, for people: the code stands alone on its line, to be copied. */
export function instructions({verificationUri, userCode}: DeviceCode, canOpen: boolean): string {
  return [
    '',
    `  1. Open ${verificationUri}${canOpen ? ' (Enter opens it in your browser)' : ''}`,
    '  2. Enter this code:',
    '',
    `        ${userCode}`,
    '',
    '',
  ].join('\n')
}

/** Opens `address` each time a person presses Enter, until the function it returns is called. */
export function openOnEnter(input: Readable, address: string, browser?: string): () => void {
  const lines = createInterface({input, terminal: false})
  lines.on('line', () => void openBrowser(address, browser))
  return () => lines.close()
}

/** Shows at a terminal that the sign-in goes on, until the function it returns is called. */
export async function spin(stream: Writable & {columns?: number}, text: string) {
  // Where the width is not known, a spinner that cleans up after itself takes the code away too.
  if (!stream.columns) return () => undefined
  const {default: ora} = await import('ora')
  // Standard input is left alone: Enter and Ctrl-C have their meaning.
  const spinner = ora({text, stream: stream, discardStdin: false}).start()
  return () => void spinner.stop()
}

/** Opens an address in a browser: the system's own, or the one named. A browser that does not start is no error. */
async function openBrowser(address: string, browser: string | undefined): Promise<void> {
  const {default: open} = await import('open')
  await open(address, browser ? {app: {name: browser}} : {}).catch(() => undefined)
}
