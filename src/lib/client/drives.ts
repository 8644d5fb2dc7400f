import type {Page} from './client.js'

/**
 * The shared drive of a name, where just one has it. A second request with one and the same
 * `requestId` makes no second drive; its refusal does not say which drive the first one made
 * (reference: protocols.md, section 13).
 */
export async function onlyDriveNamed(
  pages: AsyncIterable<Page>,
  name: unknown,
): Promise<Page | undefined> {
  const found: Page[] = []
  for await (const {items} of pages) {
    const drives: readonly Page[] = Array.isArray(items) ? items : []
    found.push(...drives.filter(drive => drive.name === name))
  }
  return found.length === 1 ? found[0] : undefined
}
