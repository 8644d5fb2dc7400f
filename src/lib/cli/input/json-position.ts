import type {ParseError} from 'jsonc-parser'

/**
 * Where a text stops being JSON, as an offset; its length when it ends too early. For texts that
 * `JSON.parse` refused: not all versions of Node say where.
 */
export async function jsonErrorAt(text: string): Promise<number> {
  const {parse} = await import('jsonc-parser')
  const errors: ParseError[] = []
  parse(text, errors, {disallowComments: true})
  return errors[0]?.offset ?? text.length
}

/** `line 2, column 7` for an offset, both counted from 1. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
