/** Looks that a shared drive can have (reference: resources.md, About.driveThemes). */
export const themes = [
  {id: 'abacus', colorRgb: '#ea6100'},
  {id: 'blueprints', colorRgb: '#4285f4'},
  {id: 'bok_choy', colorRgb: '#7cb342'},
  {id: 'chalkboard', colorRgb: '#0f9d58'},
  {id: 'clouds', colorRgb: '#0097a7'},
  {id: 'coffee', colorRgb: '#795548'},
  {id: 'ocean', colorRgb: '#3f51b5'},
  {id: 'pottery', colorRgb: '#db4437'},
]

type Theme = (typeof themes)[number]

/** The background of a theme: a picture within the address, so that it shows without a network. */
export function themeBackground({colorRgb}: Pick<Theme, 'colorRgb'>): string {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="144"><rect width="100%" height="100%" fill="${colorRgb}"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(picture)}`
}

/** A theme as About shows it. */
export function themeRecord(theme: Theme) {
  return {...theme, backgroundImageLink: themeBackground(theme)}
}
