import type {Tone} from '#lib/cli/terminal/color.js'

type Row = Readonly<Record<string, unknown>>

/** The path of a value in a record, such as `file.title`; of several, the first with a value is used. */
export type Path = string | readonly string[]

/** A column of a table for people. */
export interface TableColumn {
  readonly of: Path
  /** The main column has 0; if space is short, the column with the highest rank is omitted first. */
  readonly rank: number
  readonly show?: (value: unknown, record: Row) => string
  /** Other fields that `show` reads. */
  readonly more?: readonly string[]
  /** Never cut. */
  readonly isWhole?: boolean
  readonly isRight?: boolean
  readonly tone?: Tone
}

/** The columns of a kind of records. */
export interface KindColumns {
  /** The columns of rows without a header, for programs (default: all fields). */
  readonly rows?: readonly Path[]
  /** Always show all columns, because the user requested them. */
  readonly isWhole?: true
  /** The columns of a table by title, in order. */
  readonly table: Readonly<Record<string, TableColumn>>
}
