import type {TableName} from './kind-columns.js'

export type Row = Readonly<Record<string, unknown>>

/** What decides how records look outside JSON. */
export interface Layout {
  /** Columns of the terminal. */
  readonly width: number
  /** The field of a list's record that holds its records; `items` unless given. */
  readonly list?: string
  /** Fields to show, in order; without them the record's kind decides. */
  readonly columns?: readonly string[]
  /** Escape sequences for colours may be in the text. */
  readonly color?: boolean
  /** What the records are, so that a table has columns for people in place of `columns`. */
  readonly name?: TableName
}

/** What is written; later where what makes it has to be loaded first. */
export type Text = string | Promise<string>

/** A list as text while its pages arrive, piece by piece. */
export interface ListText {
  /** How many records make a piece, where that is not the usual number. */
  readonly pieceSize?: number
  rows(records: readonly Row[]): Text
  /** The end of the list; `rest` are the fields of the list's record beside its items. */
  end?(rest: Row): Text
}

/** A way to write results: text with a line break at its end. */
export interface OutputFormat {
  /** Whole records, for programs, which are told errors as JSON then; else what people look for. */
  readonly isStructured: boolean
  /** For the eyes alone: columns for people, times and sizes as they read them. */
  readonly isForPeople?: boolean
  /** A line a record without names: one that is alone looks as it does in a list. */
  readonly isRows?: boolean
  /** It writes the first of these fields that a record has; without them what a list shows. */
  readonly fields?: readonly string[]
  record(record: Row, layout: Layout): Text
  /** A list that is there as a whole. */
  records(records: readonly Row[], layout: Layout): Text
  list(layout: Layout): ListText
  /** Records that are no list of the service, but still arrive, where they differ from one. */
  array?(layout: Layout): ListText
}
