import {Flags} from '@oclif/core'
import {scopeCatalog} from '#lib/api/description/scopes.js'
import {SignInError} from '#lib/auth/errors.js'
import {checkCallbackUrl} from '#lib/auth/flows/callback.js'
import {scopesAnywhere, scopesToRequest} from '#lib/auth/scopes.js'
import {chooseStore} from '#lib/cli/account/choose-store.js'
import {finishSignIn, reuseToken} from '#lib/cli/account/finish-sign-in.js'
import {obtainToken, readToken} from '#lib/cli/account/obtain-token.js'
import {type Emit, openSignInContext} from '#lib/cli/account/sign-in-context.js'
import {verb} from '#lib/cli/run/verb.js'
import type {StoreKind} from '#lib/config/config.js'
import {safeJson} from '#lib/platform/sanitize.js'

export default verb({
  aliases: ['login', 'signin'],
  summary: 'Sign in, and keep the token for later commands.',
  description:
    'Shows a code to enter in a browser, on any machine that reaches the service, and waits until you did. With --web the browser of this machine comes back by itself. The token is kept in the keychain of the system; one that is there already, works and may do what is asked for stays. Without a keychain, as on a server, a terminal asks whether to store it in a file readable only by you, and remembers that for the profile; elsewhere pass --insecure-storage. With --read-only drv refuses from then on whatever would change something with this profile, until you sign out of it. With --json every step is one line of JSON.\n\nWithout an address it signs in to the service inside drv, which needs no account: a terminal asks as which of its users, without a browser unless --web is given. For a service elsewhere set DRV_BASE_URL to its address, DRV_AUTH_URL where people sign in at another one, and DRV_CLIENT_ID to the client ID of an app there that may sign in with a code: whoever runs the service tells you. DRV_AUTH_URL may be the issuer of a standard authorization server, such as an OpenID provider: drv finds the rest by its metadata, and takes DRV_CLIENT_SECRET where the app has one. --profile NAME remembers all of them. A service that `drv local serve` runs needs its address alone; `drv local approve CODE` approves the code there without a browser. Without any app, make a personal access token in your settings at the service (/settings/tokens), and keep it with --with-token.',
  usage: 'auth login [FLAGS]',
  examples: [
    ['Sign in', 'auth login'],
    ['Sign in with the browser of this machine, without a code', 'auth login --web'],
    [
      'Sign in to a service elsewhere, and work with it from then on',
      '$ DRV_BASE_URL=https://files.example.com drv auth login --profile work',
    ],
    [
      'Sign in to read only, and never change anything',
      'auth login --scope drive.readonly --read-only',
    ],
    ['Keep a token that you have', 'auth login --with-token < token.txt'],
  ],
  flags: {
    scope: Flags.string({
      summary: `What to ask for, separated by commas: ${Object.keys(scopeCatalog).join(', ')}.`,
      helpValue: 'SCOPES',
      multiple: true,
      exclusive: ['with-token'],
    }),
    web: Flags.boolean({
      summary: 'Sign in through a browser on this machine, without a code.',
      exclusive: ['with-token'],
    }),
    login: Flags.string({
      summary: 'The account to suggest.',
      helpValue: 'NAME',
      dependsOn: ['web'],
    }),
    prompt: Flags.string({
      summary: 'Have the service ask which account to use.',
      options: ['select_account'],
      dependsOn: ['web'],
    }),
    'no-signup': Flags.boolean({
      summary: 'Have the service offer no new account.',
      dependsOn: ['web'],
    }),
    callback: Flags.string({
      summary: 'Where the browser comes back to, for servers that compare the port.',
      helpValue: 'URL',
      dependsOn: ['web'],
    }),
    'with-token': Flags.boolean({summary: 'Read a token from standard input instead.'}),
    force: Flags.boolean({
      summary: 'Get a new token even if the stored one works; send one that was just refused.',
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
      const wished = storeOf(flags['insecure-storage'])
      if (!flags.force && !flags['with-token'] && (await reuseToken(signInContext, scopes, wished)))
        return

      const choice = await chooseStore(signInContext, wished)
      const web = {
        login: flags.login,
        selectAccount: flags.prompt !== undefined,
        noSignUp: flags['no-signup'],
        callbackUrl: flags.callback === undefined ? undefined : checkCallbackUrl(flags.callback),
      }
      if (flags['with-token']) {
        const given = {token: await readToken(signInContext), isGiven: true}
        return await finishSignIn(signInContext, given, choice, [])
      }
      const wishes = flags.web ? web : undefined
      const {asked, ...fresh} = await obtainToken(signInContext, texts, choice.store, wishes)
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

/** Where `--insecure-storage` or `--no-insecure-storage` wants the token. */
function storeOf(isInsecure: boolean | undefined): StoreKind | undefined {
  if (isInsecure === undefined) return undefined
  return isInsecure ? 'file' : 'keychain'
}
