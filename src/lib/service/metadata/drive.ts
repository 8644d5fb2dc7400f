import {badRequest, forbidden} from '#lib/service/errors.js'
import type {BackgroundImage, DriveRow, OpenDrive} from '#lib/service/store/drives.js'
import {
  driveCapabilities,
  RESTRICTIONS,
  type Restrictions,
  restrictionsOf,
} from '#lib/service/store/sharing/capabilities.js'

type Body = Readonly<Record<string, unknown>>
type Design = Pick<DriveRow, 'theme_id' | 'color_rgb' | 'background'>

/** The name in a body; `undefined` if it has none. Throws 400 for an empty one. */
export function readName(body: Body): string | undefined {
  if (body.name === undefined) return undefined
  if (typeof body.name !== 'string' || body.name.trim() === '') {
    throw badRequest('A shared drive needs a name.', 'name', 'required')
  }
  return body.name
}

/**
 * The new design of a shared drive: a theme, or a color and a background, which replace the theme.
 * `undefined` if nothing changes. Throws 400.
 */
export function readDesign(body: Body, current: Design): Design | undefined {
  const color = body.colorRgb as string | null | undefined
  const image = body.backgroundImageFile as Partial<BackgroundImage> | null | undefined
  if (body.themeId !== undefined && body.themeId !== null) {
    if (image) throw combined('backgroundImageFile')
    if (color && color.toLowerCase() !== current.color_rgb) throw combined('colorRgb')
    const theme = themes.find(({id}) => id === body.themeId)
    if (!theme) {
      const words = `Theme not found: ${String(body.themeId)}. about.get lists the themes in driveThemes.`
      throw badRequest(words, 'themeId', 'invalid')
    }
    return {theme_id: theme.id, color_rgb: theme.colorRgb, background: null}
  }
  const newColor = color ? checkedColor(color) : current.color_rgb
  if (newColor === current.color_rgb && image === undefined) return undefined
  return {
    theme_id: null,
    color_rgb: newColor,
    background: image
      ? JSON.stringify(checkedImage(image))
      : image === null
        ? null
        : current.background,
  }
}

function combined(other: string) {
  return badRequest(`Send either themeId or ${other}, not both.`, 'themeId', 'invalid')
}

function checkedColor(color: string): string {
  if (/^#[\da-f]{6}$/i.test(color)) return color.toLowerCase()
  throw badRequest('colorRgb must be a color such as #4285f4.', 'colorRgb', 'invalid')
}

function checkedImage(image: Partial<BackgroundImage>): BackgroundImage {
  const {id, xCoordinate: x, yCoordinate: y, width} = image
  const isPart = (part: number | undefined): part is number =>
    typeof part === 'number' && part >= 0 && part <= 1
  const fits = isPart(x) && isPart(y) && isPart(width) && width > 0 && x + width <= 1
  if (typeof id !== 'string' || !fits) {
    throw badRequest(
      'backgroundImageFile requires id, xCoordinate, yCoordinate and width. The numbers are fractions of the image, from 0 to 1.',
      'backgroundImageFile',
      'invalid',
    )
  }
  return {id, xCoordinate: x, yCoordinate: y, width}
}

/** The new restrictions; `undefined` if nothing changes. Throws 403 if the caller cannot change one of them. */
export function requestedRestrictions(body: Body, drive: OpenDrive): Restrictions | undefined {
  const requested = body.restrictions as Partial<Restrictions> | null | undefined
  if (requested === undefined) return undefined
  const current = restrictionsOf(drive)
  const next = Object.fromEntries(
    RESTRICTIONS.map(name => [
      name,
      requested === null ? false : (requested[name] ?? current[name]),
    ]),
  ) as Restrictions
  const changed = RESTRICTIONS.filter(name => next[name] !== current[name])
  if (changed.length === 0) return undefined
  if (changed.includes('adminManagedRestrictions')) {
    const words = 'Only an administrator of the domain can change adminManagedRestrictions.'
    throw forbidden('insufficientFilePermissions', words)
  }
  if (!driveCapabilities(drive).canResetDriveRestrictions) throw organizersOnly('its restrictions')
  return next
}

/** The error 403 for a member of the drive who is not an organizer. `property` is a phrase such as "its name". */
export function organizersOnly(property: string) {
  const words = `Only an organizer of the shared drive can change ${property}.`
  return forbidden('insufficientFilePermissions', words)
}

/** The themes of shared drives (reference: resources.md, About.driveThemes). */
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

/** The background of a theme as a data URL, so that it works offline. */
export function themeBackground({colorRgb}: Pick<Theme, 'colorRgb'>): string {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="144"><rect width="100%" height="100%" fill="${colorRgb}"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(picture)}`
}

/** A theme as a record of About. */
export function themeRecord(theme: Theme) {
  return {...theme, backgroundImageLink: themeBackground(theme)}
}
