/** The paths of the pages. */

export const START_PATH = '/'
export const MY_DRIVE_PATH = '/my-drive'
export const SIGN_IN_PATH = '/login'
export const DEVICE_PATH = '/login/device'
export const AUTHORIZE_PATH = '/login/oauth/authorize'
export const TOKENS_PATH = '/settings/tokens'
export const APPLICATIONS_PATH = '/settings/applications'

/** Returns the path of the page that shows an app's access. */
export function connectionPath(clientId: string): string {
  return `/settings/connections/applications/${encodeURIComponent(clientId)}`
}

/** Returns the path of the sign-in page with these parameters; see `signInPage`. */
export function signInAddress(
  parameters: Readonly<Partial<Record<'return_to' | 'login' | 'allow_signup', string>>>,
): string {
  const query = new URLSearchParams(parameters as Record<string, string>).toString()
  return query === '' ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${query}`
}
