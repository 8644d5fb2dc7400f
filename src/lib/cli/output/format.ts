import type {TableName} from './kind-columns.js'

export type Row = Readonly<Record<string, unknown>>

/** The settings for formats other than JSON. */
export interface Layout {
  /** The width of the terminal, in columns. */
  readonly width: number
  /** The field of a list response that contains the records (default: `items`). */
  readonly list?: string
  /** Fields to show, in order; by default, the kind of the records decides. */
  readonly columns?: readonly string[]
  /** Use color. */
  readonly color?: boolean
  /** The kind of the records, which selects the table columns instead of `columns`. */
  readonly name?: TableName
}

/** The output; a promise if its formatter has to be loaded first. */
export type Text = string | Promise<string>

/** Formats a list piece by piece while its pages arrive. */
export interface ListText {
  /** Records per piece, if not the default. */
  readonly pieceSize?: number
  rows(records: readonly Row[]): Text
  /** The end of the list; `rest` are the other fields of the list response. */
  end?(rest: Row): Text
}

/** An output format: text that ends with a line break. */
export interface OutputFormat {
  /** Prints complete records for programs; errors are JSON too. */
  readonly isStructured: boolean
  /** For people: selected columns, short times, sizes with units. */
  readonly isForPeople?: boolean
  /** One line per record without names; a single record looks like one of a list. */
  readonly isRows?: boolean
  /** Prints only the first existing field of these. */
  readonly fields?: readonly string[]
  record(record: Row, layout: Layout): Text
  /** A complete list. */
  records(records: readonly Row[], layout: Layout): Text
  list(layout: Layout): ListText
  /** Records that arrive over time without a list response, if formatted differently. */
  array?(layout: Layout): ListText
}
