/** `maxResults` -> `max-results`, `getIdForEmail` -> `get-id-for-email`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
