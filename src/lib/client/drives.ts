import type {Page} from './client.js'
import {recordsOf} from './pages.js'

/**
 * The shared drive of a name, where just one has it. A second request with one and the same
 * `requestId` makes no second drive; its refusal does not say which drive the first one made
 * (reference: protocols.md, section 13). Throws `ProtocolError` for what is no list of drives.
 */
export async function onlyDriveNamed(
  pages: AsyncIterable<Page>,
  name: unknown,
): Promise<Page | undefined> {
  const found: Page[] = []
  for await (const page of pages) {
    found.push(...recordsOf(page).filter(drive => drive.name === name))
  }
  return found.length === 1 ? found[0] : undefined
}
