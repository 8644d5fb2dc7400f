import type {Cell} from '../../test/support/screen.js'

/** Width and height of a character cell, and the padding, in pixels. */
const LETTER = 8.4
const LINE = 19
const MARGIN = 18
/** The position of the three dots of the frame. */
const BAR = 34

const COLOURS = {back: '#1b1f27', text: '#d8dee9', bold: '#ffffff', blue: '#7aa2f7', dim: '#8b93a5'}

/** The appearance of the styles that drv uses. */
const STYLES: Readonly<Record<string, string>> = {
  '1': `font-weight="bold" fill="${COLOURS.bold}"`,
  '2': `fill="${COLOURS.dim}"`,
  '32': 'fill="#9ece6a"',
  '34': `fill="${COLOURS.blue}"`,
}

/** The lines of a terminal as an SVG picture: text in a frame that stays text. Pure. */
export function pictureOf(lines: ReadonlyArray<readonly Cell[]>, title: string): string {
  const columns = Math.max(...lines.map(({length}) => length))
  const width = Math.ceil(columns * LETTER + 2 * MARGIN)
  const height = lines.length * LINE + BAR + MARGIN
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, at) => `<circle cx="${MARGIN + 6 + at * 20}" cy="17" r="6" fill="${colour}"/>`,
  )
  const texts = lines.map((cells, at) => {
    const y = BAR + LINE * (at + 0.75)
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${runs(cells).map(runText).join('')}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.back}"/>`,
    ...dots,
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${COLOURS.text}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

interface Run {
  readonly style: string
  readonly text: string
}

/** Adjacent characters of the same style. */
function runs(cells: readonly Cell[]): Run[] {
  const all: Run[] = []
  for (const {letter, style} of cells) {
    const last = all.at(-1)
    if (last?.style === style) all[all.length - 1] = {style, text: last.text + letter}
    else all.push({style, text: letter})
  }
  return all
}

function runText({style, text}: Run): string {
  const look = STYLES[style]
  return look ? `<tspan ${look}>${escaped(text)}</tspan>` : escaped(text)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
