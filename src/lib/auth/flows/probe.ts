import {DEVICE_GRANT} from '#lib/api/wire.js'
import {ProtocolError} from '#lib/client/errors.js'
import {readFields} from './answer.js'
import {createPost} from './post.js'

/** What an authorization service makes of a client ID. */
export type ClientKnown =
  | 'yes'
  /** It may not sign in with a code. */
  | 'no device flow'
  | 'suspended'
  | 'no'
  /** Its answer says nothing about that. */
  | 'unclear'

/** A device code that no service has given out. */
const NO_CODE = 'drv-auth-doctor'

const MEANINGS: Readonly<Record<string, ClientKnown>> = {
  incorrect_device_code: 'yes',
  expired_token: 'yes',
  token_expired: 'yes',
  authorization_pending: 'yes',
  slow_down: 'yes',
  device_flow_disabled: 'no device flow',
  application_suspended: 'suspended',
  incorrect_client_credentials: 'no',
  // The public service answers so where the specification names the code above.
  'Not Found': 'no',
}

/**
 * Asks for the token of a device code that there is not, by which nothing begins and nobody signs
 * in: the refusal tells whether the address is that of an authorization service, and whether it knows
 * the client ID (spec: authorization.md, Errors). Fails with `NetworkError`, and with `ProtocolError`
 * for an answer of something else.
 */
export async function probeClient({
  clientId,
  ...sending
}: Parameters<typeof createPost>[0] & {readonly clientId: string}): Promise<ClientKnown> {
  const answer = await createPost(sending)('/login/oauth/access_token', {
    client_id: clientId,
    device_code: NO_CODE,
    grant_type: DEVICE_GRANT,
  })
  const error = (await readFields(answer)).get('error')
  if (!error) {
    throw new ProtocolError(
      `${new URL(sending.authUrl).host} answers with status ${answer.status}, but not as an authorization service does.`,
    )
  }
  return Object.hasOwn(MEANINGS, error) ? MEANINGS[error]! : 'unclear'
}
