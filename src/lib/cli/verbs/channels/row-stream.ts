import type {Layout, OutputFormat, Row} from '#lib/cli/output/format.js'

/** The parts of a printer that a stream uses. */
interface StreamPrinter {
  readonly output: OutputFormat
  layout(columns?: readonly string[]): Layout
  prepare(records: readonly Row[]): Promise<readonly Row[]>
  show(text: string): Promise<void>
  print(text: string): Promise<void>
}

/** Prints rows that arrive one after the other, in order, each as soon as it is available. */
export interface RowStream {
  /** Resolves when the row is written. */
  print(row: Row): Promise<void>
  /** Writes the end of the list, such as the bracket of a JSON array. */
  end(): Promise<void>
}

export function createRowStream(printer: StreamPrinter, columns: readonly string[]): RowStream {
  const {output} = printer
  const list = (output.array ?? output.list)(printer.layout(columns))
  let last: Promise<void> = Promise.resolve()
  return {
    print(row) {
      last = last.then(async () => printer.show(await list.rows(await printer.prepare([row]))))
      return last
    },
    async end() {
      await last
      const end = await list.end?.({})
      if (end) await printer.print(end)
    },
  }
}
