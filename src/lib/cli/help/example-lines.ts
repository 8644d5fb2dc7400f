import {INDENT} from '#lib/cli/terminal/layout.js'
import {displayWidth, pad, wrap} from '#lib/cli/terminal/width.js'
import type {ManifestExample} from './manifest.js'

/** Examples of a help: lines to copy, with what each is for. */

/** An example's command line as one types it. */
export function lineOf({command}: ManifestExample): string {
  return command.replace('<%= config.bin %>', 'drv')
}

/** Examples, each on one line with its purpose behind it where all of them fit so. */
export function exampleLines(examples: readonly ManifestExample[], width: number): string[] {
  const room = width - INDENT.length
  const lines = Math.max(...examples.map(example => displayWidth(lineOf(example))))
  const beside = examples.map(example => `${pad(lineOf(example), lines)}  # ${example.description}`)
  if (beside.every(line => displayWidth(line) <= room)) return beside.map(line => INDENT + line)
  return examples.flatMap(example => [
    ...wrap(`# ${example.description}`, room).map(line => INDENT + line),
    ...broken(lineOf(example), room).map(line => INDENT + line),
  ])
}

/** A command line in lines that a shell takes for one; a text in quotes stays whole. Pure. */
export function broken(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line]
  const words = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    // Each line but the last ends with ` \`.
    if (last !== undefined && displayWidth(`${last} ${word} \\`) <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(lines.length === 0 ? word : `${INDENT}${word}`)
  }
  return lines.map((text, at) => (at < lines.length - 1 ? `${text} \\` : text))
}
