export const formats = ['table', 'tsv', 'json', 'ndjson'] as const

/** How results are written (design: a table for people, rows for a pipe, JSON for programs). */
export type Format = (typeof formats)[number]

/** The format in force: what was asked for, else what suits whoever reads. */
export function chooseFormat(asked: Format | undefined, isTerminal: boolean): Format {
  return asked ?? (isTerminal ? 'table' : 'tsv')
}
