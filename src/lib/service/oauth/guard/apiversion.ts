import {atHeader, failure} from '#lib/service/errors.js'

/**
 * Who sends a request, and what they may do, is found out here. What tokens hold belongs to
 * `../tokens`.
 */

/** Versions of the API that a request may ask for, the newest last (spec: authorization.md, Versioning). */
const VERSIONS = ['2022-11-28']

/**
 * The version header of an answer, from the headers of the request (names in lower case). Throws
 * 400 for a version that is malformed or that the service does not have.
 */
export function apiVersionHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const asked = headers['x-service-api-version']?.trim()
  if (asked !== undefined && !VERSIONS.includes(asked)) {
    throw failure(
      400,
      'badRequest',
      `The header X-Service-Api-Version names no version of this service: ${JSON.stringify(asked)}. ` +
        `Use ${VERSIONS.join(' or ')}, or leave the header out.`,
      atHeader('X-Service-Api-Version'),
    )
  }
  return {'X-Service-Api-Version-Selected': asked ?? VERSIONS.at(-1)!}
}
