/** A character on the screen, and its style: the number of the last style, such as `1` for bold. */
export interface Cell {
  readonly letter: string
  readonly style: string
}

/** The contents of a terminal after some output: its lines without trailing blanks. */
export function screenOf(output: string): string[] {
  return cellsOf(output).map(cells => cells.map(({letter}) => letter).join(''))
}

/** The same with the style of each character. Supports the sequences that prompts use, and throws for any other. */
export function cellsOf(output: string): Cell[][] {
  const lines: Cell[][] = [[]]
  let row = 0
  let column = 0
  let style = ''
  const steps = /\u001b\[(\?)?([\d;]*)([A-Za-z])|[^]/gu
  for (const [text, isPrivate, numbers = '', name] of output.matchAll(steps)) {
    const count = Number(numbers.split(';')[0] || 1)
    if (isPrivate) continue
    if (name === 'm') style = ENDS.has(numbers) ? '' : numbers
    else if (text === '\n') row += 1
    else if (text === '\r') column = 0
    else if (text === '\u0007') continue
    else if (text === '\b') column = Math.max(0, column - 1)
    else if (name === 'A') row = Math.max(0, row - count)
    else if (name === 'B') row += count
    else if (name === 'C') column += count
    else if (name === 'D') column = Math.max(0, column - count)
    else if (name === 'G') column = count - 1
    else if (name === 'K') {
      lines[row] ??= []
      if (numbers === '2') lines[row] = []
      else lines[row]!.length = Math.min(lines[row]!.length, column)
    } else if (name === 'J') {
      lines[row] ??= []
      lines[row]!.length = Math.min(lines[row]!.length, column)
      lines.length = row + 1
    } else if (name !== undefined || text === '\u001b') {
      throw new Error(`The screen does not know ${JSON.stringify(text)}.`)
    } else {
      lines[row] ??= []
      lines[row]![column] = {letter: text, style}
      column += 1
    }
  }
  const blank = {letter: ' ', style: ''}
  const shown = Array.from(lines, (line = []) => {
    const cells = Array.from(line, (cell = blank) => cell)
    while (cells.at(-1)?.letter.trim() === '') cells.pop()
    return cells
  })
  while (shown.at(-1)?.length === 0) shown.pop()
  return shown
}

/** The code that ends a style. */
const ENDS = new Set(['', '0', '22', '39'])
