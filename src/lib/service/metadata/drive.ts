import {badRequest, forbidden} from '#lib/service/errors.js'
import type {BackgroundImage, DriveRow, OpenDrive} from '#lib/service/store/drives.js'
import {
  driveCapabilities,
  RESTRICTIONS,
  type Restrictions,
  restrictionsOf,
} from '#lib/service/store/sharing/capabilities.js'

type Body = Readonly<Record<string, unknown>>
type Look = Pick<DriveRow, 'theme_id' | 'color_rgb' | 'background'>

/** The name, which cannot be empty; `undefined` where the body has none. */
export function wishedName(body: Body): string | undefined {
  if (body.name === undefined) return undefined
  if (typeof body.name !== 'string' || body.name.trim() === '') {
    throw badRequest('A shared drive needs a name.', 'name', 'required')
  }
  return body.name
}

/** Color and background, of a theme or each by itself, which ends the theme; `undefined` where nothing changes. */
export function wishedLook(body: Body, current: Look): Look | undefined {
  const color = body.colorRgb as string | null | undefined
  const image = body.backgroundImageFile as Partial<BackgroundImage> | null | undefined
  if (body.themeId !== undefined && body.themeId !== null) {
    if (image) throw together('backgroundImageFile')
    if (color && color.toLowerCase() !== current.color_rgb) throw together('colorRgb')
    const theme = themes.find(({id}) => id === body.themeId)
    if (!theme) {
      const words = 'There is no such theme; about.get lists them in driveThemes.'
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

function together(other: string) {
  return badRequest(`Send either themeId or ${other}, not both.`, 'themeId', 'invalid')
}

function checkedColor(color: string): string {
  if (/^#[\da-f]{6}$/i.test(color)) return color.toLowerCase()
  throw badRequest('The colour must look like #4285f4.', 'colorRgb', 'invalid')
}

function checkedImage(image: Partial<BackgroundImage>): BackgroundImage {
  const {id, xCoordinate: x, yCoordinate: y, width} = image
  const isPart = (part: number | undefined): part is number =>
    typeof part === 'number' && part >= 0 && part <= 1
  const fits = isPart(x) && isPart(y) && isPart(width) && width > 0 && x + width <= 1
  if (typeof id !== 'string' || !fits) {
    throw badRequest(
      'The background image needs id, xCoordinate, yCoordinate and width; the numbers are parts of the image, from 0 to 1.',
      'backgroundImageFile',
      'invalid',
    )
  }
  return {id, xCoordinate: x, yCoordinate: y, width}
}

/** The restrictions as they shall be; `undefined` where nothing changes. 403 for one that the caller may not change. */
export function wishedRestrictions(body: Body, drive: OpenDrive): Restrictions | undefined {
  const wished = body.restrictions as Partial<Restrictions> | null | undefined
  if (wished === undefined) return undefined
  const current = restrictionsOf(drive)
  const next = Object.fromEntries(
    RESTRICTIONS.map(name => [name, wished === null ? false : (wished[name] ?? current[name])]),
  ) as Restrictions
  const changed = RESTRICTIONS.filter(name => next[name] !== current[name])
  if (changed.length === 0) return undefined
  if (changed.includes('adminManagedRestrictions')) {
    const words = 'Only an administrator of the domain may change adminManagedRestrictions.'
    throw forbidden('insufficientFilePermissions', words)
  }
  if (!driveCapabilities(drive).canResetDriveRestrictions) throw organizersOnly('its restrictions')
  return next
}

/** 403: the caller is a member of the drive, but not an organizer. */
export function organizersOnly(what: string) {
  const words = `Only an organizer of the shared drive may change ${what}.`
  return forbidden('insufficientFilePermissions', words)
}

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
