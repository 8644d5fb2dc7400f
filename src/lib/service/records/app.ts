import {scopes} from '#lib/api/description/scopes.js'
import {type App, type AppFacts, type AppTexts, factsOf} from '#lib/service/oauth/store/apps.js'
import {scopesOf, type TokenRow} from '#lib/service/oauth/tokens/token.js'
import {present} from './common.js'

/**
 * The records that answers are made of live here, a file a kind, with their links and entity tags.
 * Who may see them is decided in ../handlers; which rows they come from, in ../store.
 */

/** Scopes that reach every file of a user. */
const WIDE_SCOPES = scopes('drive', 'drive.readonly')

/**
 * The App record for a user who gave the app these live tokens (reference: resources.md, App).
 * An app counts as installed, and as authorized, while it holds one. `language` (BCP 47) picks the
 * texts.
 */
export function appRecord(app: App, tokens: readonly TokenRow[], language?: string) {
  const facts = factsOf(app)
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

/** The texts for a language, or for the wider one it belongs to: `de` serves `de-AT`. */
function translation({translations = {}}: AppFacts, language: string | undefined): AppTexts {
  const parts = language?.toLowerCase().split('-') ?? []
  for (let count = parts.length; count > 0; count--) {
    const wanted = parts.slice(0, count).join('-')
    const found = Object.entries(translations).find(([code]) => code.toLowerCase() === wanted)
    if (found) return found[1]
  }
  return {}
}
