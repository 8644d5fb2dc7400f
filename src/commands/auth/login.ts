import {Flags} from '@oclif/core'
import {scopeCatalog} from '#lib/api/description/scopes.js'
import {SignInError} from '#lib/auth/errors.js'
import {checkCallbackUrl} from '#lib/auth/flows/callback.js'
import {scopesAnywhere, scopesToRequest} from '#lib/auth/scopes.js'
import {chooseStore} from '#lib/cli/account/choose-store.js'
import {finishSignIn, reuseToken} from '#lib/cli/account/finish-sign-in.js'
import {obtainToken, readGivenToken} from '#lib/cli/account/obtain-token.js'
import {type Emit, openSignInContext} from '#lib/cli/account/sign-in-context.js'
import {verb} from '#lib/cli/run/verb.js'
import type {StoreKind} from '#lib/config/config.js'
import {safeJson} from '#lib/platform/sanitize.js'

export default verb({
  aliases: ['login', 'signin'],
  summary: 'Sign in and store the token.',
  description: [
    'Shows a code to enter in a browser on any machine, and waits until you approve it there. --web signs in through a browser on this machine, without a code. A stored token that is valid and has the requested scopes is reused. With --json, each step is one line of JSON.',
    'The token is stored in the system keychain. Without a keychain, as on a server, drv asks whether to store the token in a file that only you can read, and remembers the answer for the profile; in scripts, pass --insecure-storage. With --read-only, drv refuses every change with this profile until you sign out or run `drv auth policy unset read-only`.',
    'By default, drv signs in to the local service, which needs no registration, and prompts for one of its users. A service started with `drv local serve` needs only its URL in DRV_BASE_URL; `drv local approve CODE` approves the code there without a browser.',
    'For another service, set DRV_BASE_URL to its URL, DRV_CLIENT_ID to the client ID of an app that may use the device flow, and DRV_AUTH_URL if sign-in has a different URL. The operator of the service provides these values, and --profile NAME stores them. DRV_AUTH_URL can be the issuer of a standard authorization server, such as an OpenID provider; set DRV_CLIENT_SECRET if the app has a secret.',
    'Without an app, create a personal access token in the settings of the service (/settings/tokens), and store it with --with-token.',
  ].join('\n\n'),
  usage: 'auth login [FLAGS]',
  examples: [
    ['Sign in', 'auth login'],
    ['Sign in through a browser on this machine, without a code', 'auth login --web'],
    [
      'Sign in to another service and store it as a profile',
      '$ DRV_BASE_URL=https://files.example.com DRV_CLIENT_ID="$CLIENT_ID" drv auth login --profile work',
    ],
    ['Sign in with read access only', 'auth login --scope drive.readonly --read-only'],
    ['Store an existing token', 'auth login --with-token < token.txt'],
  ],
  flags: {
    scope: Flags.string({
      summary: `Scopes to request, separated by commas: ${Object.keys(scopeCatalog).join(', ')}.`,
      helpValue: 'SCOPES',
      multiple: true,
      exclusive: ['with-token'],
    }),
    web: Flags.boolean({
      summary: 'Sign in through a browser on this machine, without a code.',
      exclusive: ['with-token'],
    }),
    login: Flags.string({
      summary: 'Login of the account to suggest in the browser.',
      helpValue: 'NAME',
      dependsOn: ['web'],
    }),
    prompt: Flags.string({
      summary: 'Let the service ask which account to use.',
      options: ['select_account'],
      dependsOn: ['web'],
    }),
    'no-signup': Flags.boolean({
      summary: 'Do not offer to create an account in the browser.',
      dependsOn: ['web'],
    }),
    callback: Flags.string({
      summary: 'Callback URL, for servers that check its port (default: any free port).',
      helpValue: 'URL',
      dependsOn: ['web'],
    }),
    'with-token': Flags.boolean({summary: 'Read a token from standard input instead.'}),
    force: Flags.boolean({
      summary:
        'Get a new token even if the stored one works. With --with-token, check the token even if it was just rejected.',
    }),
    'insecure-storage': Flags.boolean({
      summary: 'Store the token in a file readable only by you, not in the keychain.',
      allowNo: true,
    }),
  },
  effect: 'changes',
  usesToken: false,
  async run({flags}, context, printer) {
    const emit: Emit | undefined = printer.isStructured
      ? (event, fields) => printer.print(`${safeJson({event, ...fields})}\n`)
      : undefined
    try {
      const texts = flags.scope ?? []
      const {embedded} = await context.settings()
      const scopes = embedded ? scopesToRequest(texts) : scopesAnywhere(texts)
      const signInContext = await openSignInContext(context, {
        force: flags.force,
        emit,
        isReadOnly: context.options.readOnly?.includes('flag') ?? false,
      })
      const {binding, profile} = signInContext.settings
      if (await printer.preview('sign in', `profile "${profile}" at ${binding}`)) return
      const requestedStore = storeOf(flags['insecure-storage'])
      if (
        !flags.force &&
        !flags['with-token'] &&
        (await reuseToken(signInContext, scopes, requestedStore))
      )
        return

      const choice = await chooseStore(signInContext, requestedStore)
      const web = {
        login: flags.login,
        selectAccount: flags.prompt !== undefined,
        noSignUp: flags['no-signup'],
        callbackUrl: flags.callback === undefined ? undefined : checkCallbackUrl(flags.callback),
      }
      if (flags['with-token']) {
        const given = {token: await readGivenToken(signInContext), isGiven: true}
        return await finishSignIn(signInContext, given, choice, [])
      }
      const webOptions = flags.web ? web : undefined
      const {asked, ...fresh} = await obtainToken(signInContext, texts, choice.store, webOptions)
      await finishSignIn(signInContext, fresh, choice, asked)
    } catch (error) {
      if (!context.signal.aborted) {
        const code = error instanceof SignInError ? error.code : undefined
        await emit?.('failed', {error: code, message: (error as Error).message})
      }
      throw error
    }
  },
})

/** The store that `--insecure-storage` or `--no-insecure-storage` selects. */
function storeOf(isInsecure: boolean | undefined): StoreKind | undefined {
  if (isInsecure === undefined) return undefined
  return isInsecure ? 'file' : 'keychain'
}
