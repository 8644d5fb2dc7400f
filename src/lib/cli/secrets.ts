/** The text of an error without what the environment keeps secret, whoever repeats it there. */
export function withoutSecrets(
  text: string,
  {DRV_TOKEN, DRV_CLIENT_SECRET}: NodeJS.ProcessEnv,
): string {
  return (
    [DRV_TOKEN, DRV_CLIENT_SECRET]
      .map(secret => secret?.trim() ?? '')
      // Shorter ones are no secrets, and would tear holes into words.
      .filter(secret => secret.length >= 8)
      .reduce((shown, secret) => shown.replaceAll(secret, '(secret)'), text)
  )
}
