/**
 * What a body may ask for of a file or a shared drive lives here: read, checked and compared with
 * what is there. Writing it belongs to ../store, showing it to ../records.
 */

/** The colours folders can have (reference: resources.md, About.folderColorPalette). */
export const folderColorPalette: readonly string[] = `
  #ac725e #d06b64 #f83a22 #fa573c #ff7537 #ffad46 #42d692 #16a765
  #7bd148 #b3dc6c #fbe983 #fad165 #92e1c0 #9fe1e7 #9fc6e7 #4986e7
  #9a9cff #b99aff #8f8f8f #cabdbf #cca6ac #f691b2 #cd74e6 #a47ae2
`
  .trim()
  .split(/\s+/)

/** The palette's colour nearest to `#rrggbb`; `undefined` for a text that is no colour. */
export function nearestFolderColor(color: string): string | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return undefined
  return folderColorPalette.reduce((best, candidate) =>
    distance(candidate, color) < distance(best, color) ? candidate : best,
  )
}

/** The square of the distance of two colours as points in space. */
function distance(a: string, b: string): number {
  return [1, 3, 5]
    .map(at => parseInt(a.slice(at, at + 2), 16) - parseInt(b.slice(at, at + 2), 16))
    .reduce((sum, difference) => sum + difference * difference, 0)
}
