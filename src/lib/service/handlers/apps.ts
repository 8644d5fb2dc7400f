import {scopes} from '#lib/api/description/scopes.js'
import type {Call, Handlers} from '#lib/service/call.js'
import {invalidValue, notFound} from '#lib/service/errors.js'
import {
  allApps,
  type App,
  appById,
  type AppFacts,
  appFacts,
  type AppTexts,
} from '#lib/service/oauth/store/apps.js'
import {heldTokens} from '#lib/service/oauth/store/families.js'
import {scopesOf, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {etagOf, link, present} from '#lib/service/records/common.js'

/** Scopes that reach every file of a user. */
const WIDE_SCOPES = scopes('drive', 'drive.readonly')

/** `apps.get` and `apps.list` (reference: operations.md, Notes per operation). */
export const appsHandlers: Handlers<'apps'> = {
  'apps.get': call => {
    const app = appById(call.store, call.params.appId)
    if (!app) throw notFound('App', call.params.appId, 'appId')
    return appRecord(app, tokensFor(call, app))
  },

  'apps.list': call => {
    const {appFilterExtensions, appFilterMimeTypes, languageCode} = call.params
    const language = languageCode ? languageTag(languageCode) : undefined
    const extensions = filterValues(appFilterExtensions).map(name => name.replace(/^\./, ''))
    const mimeTypes = filterValues(appFilterMimeTypes)

    const installed = allApps(call.store)
      .map(app => ({app, facts: appFacts(app), tokens: tokensFor(call, app)}))
      .filter(({app, tokens}) => tokens.length > 0 && !app.suspended)
    const items = installed
      .filter(({facts}) => opens(facts, extensions, mimeTypes))
      .map(({app, tokens}) => appRecord(app, tokens, language))
    // The app that the user authorized last takes precedence, so it comes last.
    const defaults = installed
      .filter(({facts}) => facts.useByDefault)
      .sort((a, b) => a.tokens.at(-1)!.id - b.tokens.at(-1)!.id)
    const defaultAppIds = defaults.map(({app}) => app.client_id)

    return {
      kind: 'drive#appList',
      etag: etagOf(defaultAppIds, items),
      selfLink: link(call.origin, 'apps'),
      defaultAppIds,
      items,
    }
  },
}

function tokensFor(call: Call<'apps.get'> | Call<'apps.list'>, app: App) {
  return heldTokens(call.store, call.user.id, app.client_id, call.now)
}

/** The comma-separated values of a filter, in lower case. */
function filterValues(filter: string): readonly string[] {
  return filter
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '')
}

/** Whether an app opens one of these extensions or media types. Without a filter, every app matches. */
function opens(
  facts: AppFacts,
  extensions: readonly string[],
  mimeTypes: readonly string[],
): boolean {
  if (extensions.length === 0 && mimeTypes.length === 0) return true
  const holds = (names: readonly string[], ...lists: Array<readonly string[] | undefined>) =>
    lists.some(list => list?.some(name => names.includes(name.toLowerCase())))
  return (
    holds(extensions, facts.primaryFileExtensions, facts.secondaryFileExtensions) ||
    holds(mimeTypes, facts.primaryMimeTypes, facts.secondaryMimeTypes)
  )
}

function languageTag(code: string): string {
  try {
    return Intl.getCanonicalLocales(code)[0]!
  } catch {
    throw invalidValue('languageCode')
  }
}

/**
 * The App record for a user who granted the app these valid tokens (reference: resources.md, App).
 * An app with at least one valid token counts as installed and authorized. `language` (BCP 47)
 * selects the texts.
 */
function appRecord(app: App, tokens: readonly TokenRow[], language?: string) {
  const facts = appFacts(app)
  const authorized = tokens.length > 0
  const texts: AppTexts = {name: app.name, ...facts, ...translation(facts, language)}
  return present({
    kind: 'drive#app',
    id: app.client_id,
    name: texts.name,
    objectType: texts.objectType,
    shortDescription: texts.shortDescription,
    longDescription: texts.longDescription,
    authorized,
    installed: authorized,
    hasDriveWideScope: tokens.some(token =>
      scopesOf(token).some(scope => WIDE_SCOPES.includes(scope)),
    ),
    useByDefault: facts.useByDefault ?? false,
    primaryMimeTypes: facts.primaryMimeTypes ?? [],
    secondaryMimeTypes: facts.secondaryMimeTypes ?? [],
    primaryFileExtensions: facts.primaryFileExtensions ?? [],
    secondaryFileExtensions: facts.secondaryFileExtensions ?? [],
    icons: facts.icons ?? [],
    openUrlTemplate: facts.openUrlTemplate,
    createUrl: facts.createUrl,
    createInFolderTemplate: facts.createInFolderTemplate,
    supportsCreate: facts.createUrl !== undefined,
    supportsImport: facts.supportsImport ?? false,
    supportsMultiOpen: facts.supportsMultiOpen ?? false,
    supportsOfflineCreate: facts.supportsOfflineCreate ?? false,
    productId: facts.productId,
    productUrl: facts.productUrl,
  })
}

/** The texts for a language, or else for its base language: `de` for `de-AT`. `{}` if there is neither. */
function translation({translations = {}}: AppFacts, language: string | undefined): AppTexts {
  const parts = language?.toLowerCase().split('-') ?? []
  for (let count = parts.length; count > 0; count--) {
    const tag = parts.slice(0, count).join('-')
    const found = Object.entries(translations).find(([code]) => code.toLowerCase() === tag)
    if (found) return found[1]
  }
  return {}
}
