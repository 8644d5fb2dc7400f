/** A word of which a POSIX shell takes no sign for its own. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
