import {KeychainError} from '#lib/auth/store/keychain.js'
import {checkTokenStore} from '#lib/auth/store-token.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {Interrupted} from '#lib/cli/terminal/errors.js'
import type {StoreKind} from '#lib/config/config.js'
import type {SignInContext} from './sign-in-context.js'

/** Where a token is to be stored. */
export interface StoreChoice {
  readonly store: StoreKind
  /** The person said so just now, and the profile does the same from now on. */
  readonly isAnswer?: true
}

/**
 * Chooses where to store a token, and fails where that is not possible: nobody should sign in for a token
 * that is lost. In the place that was asked for, else in that of the profile, else in the keychain; without
 * a keychain a person is asked whether a file will do.
 */
export async function chooseStore(
  signInContext: SignInContext,
  asked: StoreKind | undefined,
): Promise<StoreChoice> {
  const {tokenStore, signIn} = signInContext.settings
  const store = asked ?? tokenStore ?? signIn?.store ?? 'keychain'
  try {
    await checkTokenStore(signInContext, store)
    return {store}
  } catch (error) {
    const canAsk = signInContext.canAsk && asked === undefined
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
  throw new Interrupted('Not signed in: there is no place for the token.', 'Set DRV_TOKEN instead.')
}
