/**
 * The ways to get a token with a person's browser live here: device flow and web flow. Where the
 * token is kept belongs to ../store.
 */

/**
 * Opens an address in a browser: the system's own, or the program named. Only http(s) is opened;
 * a browser that does not start is no error. Whether it started.
 */
export async function openBrowser(address: string, browser?: string): Promise<boolean> {
  if (!/^https?:\/\//i.test(address)) return false
  const {default: open} = await import('open')
  return open(address, browser ? {app: {name: browser}} : {}).then(
    () => true,
    () => false,
  )
}
