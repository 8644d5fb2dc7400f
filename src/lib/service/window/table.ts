import {type Html, html} from '#lib/service/oauth/pages/html.js'

/** A column of a table. */
export interface WindowColumn {
  readonly name: string
  /** Whether the values are numbers, aligned at the end. */
  readonly isNumber?: boolean
  /** Sorts the table by this column. */
  readonly sort?: {readonly link: string; readonly direction?: 'ascending' | 'descending'}
}

const ARROWS = {ascending: ' ↑', descending: ' ↓'} as const

/** Returns a table. In narrow windows, each row becomes a card; the roles keep it a table for screen readers.
 * `isListing` is for rows that start with an icon. */
export function dataTable(
  caption: string | Html,
  columns: readonly WindowColumn[],
  rows: ReadonlyArray<ReadonlyArray<Html | string | undefined>>,
  isListing = false,
): Html {
  const heads = columns.map(({name, isNumber, sort}) => {
    const arrow = sort?.direction && ARROWS[sort.direction]
    return html`<th
      role="columnheader"
      scope="col"
      ${isNumber && html` class="end"`}
      ${sort?.direction && html` aria-sort="${sort.direction}"`}
    >
      ${
        sort
          ? html`<a href="${sort.link}">${name}<span aria-hidden="true">${arrow}</span></a>`
          : name
      }
    </th>`
  })
  const body = rows.map(
    cells =>
      html`<tr role="row">
        ${cells.map(
          (cell, at) =>
            html`<td role="cell" ${columns[at]!.isNumber && html` class="end"`}>${cell ?? ''}</td>`,
        )}
      </tr>`,
  )
  return html`<table class="cards${isListing && ' listing'}" role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${heads}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${body}
    </tbody>
  </table>`
}
