/** Variables that hold secrets: what drv starts has no business with them. */
const SECRETS = ['DRV_TOKEN', 'DRV_CLIENT_SECRET'] as const

/**
 * Opens an address in a browser: the system's own, or the program named. Only http(s) is opened;
 * a browser that does not start is no error. Whether it started.
 */
export async function openBrowser(address: string, browser?: string): Promise<boolean> {
  if (!/^https?:\/\//i.test(address)) return false
  const {default: open} = await import('open')
  return withoutSecrets(process.env, () =>
    open(address, browser ? {app: {name: browser}} : {}).then(
      () => true,
      () => false,
    ),
  )
}

/** `open` hands this process's environment on as it is, so the secrets leave it meanwhile. */
async function withoutSecrets<T>(
  environment: NodeJS.ProcessEnv,
  work: () => Promise<T>,
): Promise<T> {
  const hidden = SECRETS.map(name => [name, environment[name]] as const)
  for (const [name] of hidden) delete environment[name]
  try {
    return await work()
  } finally {
    for (const [name, value] of hidden) if (value !== undefined) environment[name] = value
  }
}
