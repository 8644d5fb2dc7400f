/** Lines of a table; the first column is text, the others are numbers. */

export function row(name: string, ...cells: readonly string[]): void {
  console.log(`${name.padEnd(44)}${cells.map(cell => cell.padStart(14)).join('')}`)
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}
