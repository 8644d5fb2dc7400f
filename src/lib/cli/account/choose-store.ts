import {KeychainError} from '#lib/auth/store/keychain.js'
import {checkTokenStore} from '#lib/auth/store-token.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {Interrupted} from '#lib/cli/terminal/errors.js'
import type {StoreKind} from '#lib/config/config.js'
import type {SignInContext} from './sign-in-context.js'

/** The store for a new token. */
export interface StoreChoice {
  readonly store: StoreKind
  /** The user chose it at the prompt, so the profile records it. */
  readonly isAnswer?: true
}

/**
 * Chooses the store for a token before sign-in: the requested store, else that of the profile, else the keychain. Without
 * a keychain, prompts for consent to a file. Throws if the store is not writable, so that no token is lost.
 */
export async function chooseStore(
  signInContext: SignInContext,
  requested: StoreKind | undefined,
): Promise<StoreChoice> {
  const {tokenStore, signIn} = signInContext.settings
  const store = requested ?? tokenStore ?? signIn?.store ?? 'keychain'
  try {
    await checkTokenStore(signInContext, store)
    return {store}
  } catch (error) {
    const canAsk = signInContext.canAsk && requested === undefined
    if (!canAsk || !(error instanceof KeychainError)) throw error
    await agreeToFile(signInContext, error)
    await checkTokenStore(signInContext, 'file')
    return {store: 'file', isAnswer: true}
  }
}

async function agreeToFile(
  {context: {io, signal}}: SignInContext,
  {reason}: KeychainError,
): Promise<void> {
  const question = `No keychain available (${reason}). Store the token in a file readable only by you?`
  if (await isAgreed(question, io, signal, true)) return
  throw new Interrupted('Not signed in: the token was not stored.', 'Set DRV_TOKEN instead.')
}
