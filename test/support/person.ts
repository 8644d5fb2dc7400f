/**
 * Uses the pages of the service over plain HTTP, as a user in a browser does: opens a page, fills in its form,
 * presses a button.
 */

interface Form {
  readonly action: string
  readonly values: Record<string, string>
}

/**
 * Enters a user code on the page of the service and presses a button on the next page. `login` selects the user,
 * if the service has several.
 */
export async function authorizeDevice(
  address: string,
  userCode: string,
  decision: 'authorize' | 'cancel' = 'authorize',
  login?: string,
): Promise<string> {
  const browser = openBrowser(login)
  const entry = await browser.open(address)
  const confirm = await browser.submit(address, entry, {user_code: userCode})
  return browser.submit(address, confirm, {decision})
}

/**
 * Opens the page of the web flow and presses a button on it; returns the final page. A user who has authorized the
 * app before is not asked again.
 */
export async function authorizeWeb(
  address: string,
  decision: 'authorize' | 'cancel' = 'authorize',
  login?: string,
): Promise<string> {
  const browser = openBrowser(login)
  const page = await browser.open(address)
  if (!page.includes('name="decision"')) return page
  return browser.submit(address, page, {decision})
}

/** Authorizes a token for an organization, on the page named in the error. */
export async function authorizeToken(address: string): Promise<string> {
  const browser = openBrowser()
  return browser.submit(address, await browser.open(address), {})
}

/** Keeps cookies, follows redirects and sends forms. */
export function openBrowser(login?: string) {
  const cookies = new Map<string, string>()
  let current = ''

  async function send(url: string, form?: Record<string, string>): Promise<string> {
    current = url
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && {origin: new URL(url).origin}),
      },
      ...(form && {body: new URLSearchParams(form)}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (name) cookies.set(name, value ?? '')
    }
    const next = response.headers.get('location')
    if (next) return send(new URL(next, url).href)
    const page = await response.text()
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${page}`)
    return page
  }

  return {
    /** The URL of the current page. */
    address: () => current,
    async open(url: string): Promise<string> {
      const page = await send(url)
      const asksWho = login !== undefined && page.includes('name="account"')
      return asksWho ? this.submit(url, page, {account: login}) : page
    },
    submit(base: string, page: string, filled: Record<string, string>): Promise<string> {
      const form = readForm(page)
      return send(new URL(form.action, base).href, {...form.values, ...filled})
    },
  }
}

/** The first form of a page: its target and its prefilled fields. */
function readForm(page: string): Form {
  const form = /<form[^>]*>[\s\S]*?<\/form>/i.exec(page)?.[0]
  if (!form) throw new Error(`There is no form on the page:\n${page}`)
  const values: Record<string, string> = {}
  for (const [input] of form.matchAll(/<input[^>]*>/gi)) {
    const name = attribute(input, 'name')
    const type = attribute(input, 'type')
    const unchecked = type === 'radio' && !/\schecked\b/.test(input)
    if (name && type !== 'submit' && !unchecked) values[name] = attribute(input, 'value') ?? ''
  }
  return {action: attribute(form, 'action') ?? '', values}
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`, 'i').exec(tag)?.[1]
  return found
    ?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
