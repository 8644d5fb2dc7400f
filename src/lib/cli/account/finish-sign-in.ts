import {fullScopes, missingScopes, shortScope} from '#lib/api/description/scopes.js'
import {isAnother} from '#lib/auth/person.js'
import {tokenKindOf} from '#lib/auth/personal.js'
import {noteProfile} from '#lib/auth/profile.js'
import {storeToken} from '#lib/auth/storetoken.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {Interrupted} from '#lib/cli/terminal/errors.js'
import {createSender} from '#lib/client/request.js'
import {type Who, who} from '#lib/client/who.js'
import {
  type Config,
  readConfig,
  type SignInNote,
  type StoreKind,
  type TokenKind,
  withProfile,
} from '#lib/config/config.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {ObtainedToken} from './flows.js'
import {laterText} from './next-steps.js'
import type {SignInContext} from './sign-in-context.js'

/**
 * Finds out whose a new token is, keeps it, and only then says that it worked. `wanted` are the scopes
 * that were asked for.
 */
export async function finishSignIn(
  signInContext: SignInContext,
  {token, scopes, isGiven = false, finish}: ObtainedToken,
  store: StoreKind,
  wanted: readonly string[],
): Promise<void> {
  try {
    const user = await ownerOf(signInContext, token, scopes)
    await checkPerson(signInContext, user)
    await storeOwnedToken(signInContext, token, user, {store, kind: tokenKindOf(user, isGiven)})
    await finish?.()
    await announceSignIn(signInContext, user, store, {reused: false, wanted})
  } catch (error) {
    await finish?.((error as Error).message)
    throw error
  }
}

/**
 * Whose a token is, and so that it works. `scopes` are those that are known of it, which the service
 * may know better. In full.
 */
export async function ownerOf(
  signInContext: SignInContext,
  token: string,
  scopes: readonly string[] | undefined,
): Promise<Who> {
  const {breaker, force, userAgent} = signInContext
  const {signal, now, addresses, retrying, send} = signInContext.context
  const {baseUrl} = await addresses()
  const sender = createSender({
    baseUrl,
    token: async () => token,
    signal,
    now,
    userAgent,
    send: await send(),
    // A new token would be lost, though it counts among those that live.
    retrying: await retrying(),
    guard: force ? {...breaker, check: async () => undefined} : breaker,
  })
  const user = await who(sender)
  await breaker.cleared(token)
  return {...user, scopes: user.scopes ? fullScopes(user.scopes) : scopes}
}

/** Throws unless the person is the profile's, or somebody at the terminal wants the change. */
async function checkPerson(signInContext: SignInContext, user: Who): Promise<void> {
  const {profile, signIn} = signInContext.settings
  const known = signIn?.user
  if (!known || !isAnother(known, user)) return
  const words = `Profile "${profile}" belongs to ${known.login}, but this token is ${user.login}'s`
  if (!signInContext.canAsk) {
    throw new SetupError(
      'sign-in',
      `${words}, so it was not kept. Sign in as ${known.login}, name another profile with --profile, or run \`drv auth logout\` first.`,
    )
  }
  const {io, signal} = signInContext.context
  if (await isAgreed(`${words}. Use it for this profile from now on?`, io, signal)) return
  throw new Interrupted(`The token of ${user.login} was not kept; ${known.login} stays signed in.`)
}

/** Keeps a token, and notes in the profile whose it is. */
export async function storeOwnedToken(
  signInContext: SignInContext,
  token: string,
  {id, login, scopes}: Who,
  where: {readonly store: StoreKind; readonly kind: TokenKind | undefined},
): Promise<void> {
  const note: SignInNote = {...where, user: {id, login}, scopes}
  const {settings, isReadOnly} = signInContext
  const change = (config: Config) => {
    const noted = noteProfile(config, settings)
    if (!isReadOnly) return noted
    return withProfile(noted, settings.profile, known => ({...known, readOnly: true}))
  }
  if (await storeToken(signInContext, note, token, change)) return
  signInContext.context.note(
    'The token before this one is still in the keychain, which did not open.',
  )
}

/**
 * Says that the sign-in worked; `reused`: with the token that was there. And which of the scopes that
 * were `wanted` it did not bring.
 */
export async function announceSignIn(
  signInContext: SignInContext,
  {scopes, clientId: _, ...user}: Who,
  store: StoreKind,
  {reused, wanted}: {readonly reused: boolean; readonly wanted: readonly string[]},
): Promise<void> {
  const {say, emit, context} = signInContext
  const {profile, environmentToken, readOnly = []} = signInContext.settings
  const lacking = missingScopes(scopes ?? wanted, wanted)
  const missing = lacking.length > 0 ? lacking : undefined
  await emit?.('authorized', {profile, user, scopes, missing, kept: store, reused})
  const place = store === 'file' ? 'a file' : 'the keychain'
  say(
    reused
      ? `Signed in as ${user.login} already: the token in ${place} works and was kept. --force gets a new one.`
      : `Signed in as ${user.login}. The token is kept in ${place}.`,
  )
  if (scopes) say(`Scopes: ${scopes.map(shortScope).join(', ') || 'none'}.`)
  if (missing) {
    const names = missing.map(shortScope)
    say(
      `The service gave fewer scopes than were asked for: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} missing.`,
    )
  }
  if (signInContext.isReadOnly || readOnly.includes('profile')) {
    say(`Profile "${profile}" only reads, until you sign out of it.`)
  }
  const later = laterText(
    signInContext.settings,
    await readConfig(signInContext.directory),
    context.environment,
  )
  if (later !== undefined) say(later)
  if (environmentToken !== undefined) {
    context.note('DRV_TOKEN is set and wins over this sign-in; unset it to use this one.')
  }
}
