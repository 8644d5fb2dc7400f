import {spawnSync} from 'node:child_process'
import {join} from 'node:path'
import {expect} from 'vitest'

/** Why the tests cannot create a certificate on this machine; `undefined` if they can. */
export const missingOpenssl =
  spawnSync('openssl', ['version']).status === 0
    ? undefined
    : 'This needs `openssl` to make a certificate.'

/**
 * Creates a self-signed certificate for this machine and `host`; returns the paths of the certificate and its key.
 */
export function certificate(
  folder: string,
  name: string,
  host = 'localhost',
): {cert: string; key: string} {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)]
  const line = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const names = ['-subj', '/CN=localhost', '-addext', `subjectAltName=IP:127.0.0.1,DNS:${host}`]
  const made = spawnSync('openssl', ['req', ...line, ...names, '-keyout', key, '-out', cert])
  expect(made.status, String(made.stderr)).toBe(0)
  return {cert, key}
}
