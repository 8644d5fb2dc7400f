import {printable} from '#lib/platform/sanitize.js'

/** Why no answer came, in words: what happened, where, and what to do now. */

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection. Check the address, and that the service runs.',
  ENOTFOUND: 'is not a known host. Check the address, and your network.',
  EAI_AGAIN: 'could not be looked up. Check your network, then try again.',
  ETIMEDOUT: 'did not answer in time. Check your network, then try again.',
  // Of our own: another attempt would take as long.
  ERR_TOO_SLOW: 'takes too long to send its answer. Try again later.',
  ECONNRESET: 'broke off the connection. Try again.',
  EPIPE: 'broke off the connection. Try again.',
  ECONNABORTED: 'broke off the connection. Try again.',
  EHOSTUNREACH: 'cannot be reached. Check your network.',
  ENETUNREACH: 'cannot be reached. Check your network.',
  ENETDOWN: 'cannot be reached. Check your network.',
  EADDRNOTAVAIL: 'cannot be reached from this machine. Check the address.',
  EACCES: 'may not be reached: this system forbids the connection.',
  CERT_HAS_EXPIRED:
    'has a certificate that has expired. Check the clock of this machine, and tell whoever runs the service.',
  CERT_NOT_YET_VALID:
    'has a certificate that is not valid yet. Check the clock of this machine, and tell whoever runs the service.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'has a certificate for another host. Check the address; do not send your token there.',
}

/** Codes that mean: nobody this machine trusts has signed the certificate. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
])

/** One sentence or two for an error code of Node; `host` is named first. */
export function networkSentence(code: string, host: string, message: string): string {
  const name = printable(host, 100)
  const known = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  if (known) return `${name} ${known}`
  if (UNTRUSTED.has(code)) {
    return `${name} has a certificate that this machine does not trust. If it is your own, set NODE_EXTRA_CA_CERTS to the file of its authority.`
  }
  if (code.startsWith('Z_')) {
    return `${name} sent an answer whose compression is broken. Try again.`
  }
  if (code.startsWith('HPE_')) {
    return `${name} answered with something that is not HTTP. Check the address.`
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return `${name} does not speak https here. Check the address: the port, or http:// for a service on this machine.`
  }
  return `${name} could not be reached (${printable(code || message, 200)}). Check the address and your network.`
}
