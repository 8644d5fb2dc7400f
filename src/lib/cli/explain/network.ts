import {readFileSync} from 'node:fs'
import {routeTo, shownProxy} from '#lib/config/address.js'
import {systemSentence} from '#lib/platform/system-errors.js'

/** Describes the network route to a service: proxy and certificates. */

/**
 * `through the proxy http://proxy.example.com:3128 (HTTPS_PROXY)`, or the reason for a direct connection,
 * or the error of an invalid variable. Never contains a password.
 */
export function routeText(address: string, environment: NodeJS.ProcessEnv): string {
  try {
    const route = routeTo(new URL(address), environment)
    if (route.proxy) return `through the proxy ${shownProxy(route.proxy)} (${route.proxy.variable})`
    switch (route.why) {
      case 'this machine':
        return 'directly: this machine'
      case 'exception':
        return `directly: ${route.variable} lists it`
      case 'no variable':
        return 'directly: HTTPS_PROXY is not set'
    }
  } catch (error) {
    return (error as Error).message
  }
}

const BUILT_IN = 'built into Node'

/** The trusted certificates for https: those of Node, and the number in NODE_EXTRA_CA_CERTS. */
export function certificatesText(environment: NodeJS.ProcessEnv): string {
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return 'not verified, so others can intercept the connection: NODE_TLS_REJECT_UNAUTHORIZED is 0'
  }
  const file = environment.NODE_EXTRA_CA_CERTS
  return file ? `${BUILT_IN}${ownText(file)} (NODE_EXTRA_CA_CERTS)` : BUILT_IN
}

function ownText(file: string): string {
  try {
    const count = readFileSync(file, 'latin1').split('-----BEGIN CERTIFICATE-----').length - 1
    return count === 0 ? `; no additional certificates in ${file}` : `, and ${count} in ${file}`
  } catch (error) {
    return `; no additional certificates: ${systemSentence(error ?? {}) ?? `cannot read ${file}`}`
  }
}
