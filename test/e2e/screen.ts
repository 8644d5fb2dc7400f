/**
 * What a terminal shows once it has obeyed some output: its lines without blanks at their ends. It
 * knows the sequences that questions are drawn with, and fails for any other.
 */
export function screenOf(output: string): string[] {
  const lines: string[][] = [[]]
  let row = 0
  let column = 0
  const steps = /\u001b\[(\?)?([\d;]*)([A-Za-z])|[^]/gu
  for (const [text, isPrivate, numbers = '', name] of output.matchAll(steps)) {
    const count = Number(numbers.split(';')[0] || 1)
    if (isPrivate || name === 'm') continue
    if (text === '\n') row += 1
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
      lines[row]![column] = text
      column += 1
    }
  }
  const texts = Array.from(lines, (line = []) =>
    Array.from(line, (letter = ' ') => letter)
      .join('')
      .trimEnd(),
  )
  while (texts.at(-1) === '') texts.pop()
  return texts
}
