import {allApps, type App} from '#lib/service/oauth/store/apps.js'
import {allOrganizations} from '#lib/service/oauth/store/organizations.js'
import {findRows} from '#lib/service/store/database/rows.js'
import {BUILTIN_APP} from '#lib/service/store/database/sign-in-layout.js'
import type {BackgroundImage, DriveRow} from '#lib/service/store/drives.js'
import type {Store} from '#lib/service/store/index.js'
import {EMAIL_DOMAIN} from '#lib/service/store/users.js'
import type {ContentExport} from './export-content.js'
import {childrenOf, dateOf, seedPermissions, seedRoot, unless} from './export-items.js'
import {type ItemTables, readItemTables} from './export-tables.js'
import type {Seed, SeedApp, SeedAppData, SeedDrive, SeedOrganization, SeedUser} from './seed.js'

/** Where editors find the schema of a seed in a project that has drv installed. */
export const SCHEMA_PATH = './node_modules/drv/dist/seed.schema.json'

/** A seed that makes the same data again, except tokens, sign-ins, changes, channels and running uploads. */
export function exportSeed(store: Store, content: ContentExport): Seed {
  return store.read(() => {
    const tables = readItemTables(store, content)
    return defined({
      users: [...tables.users.keys()].map(id => userOf(tables, id)),
      apps: appsOf(store),
      drives: findRows<DriveRow>(store, 'drives', {}, 'created_at, id').map(drive =>
        driveOf(store, tables, drive),
      ),
      organizations: organizationsOf(store),
      appData: appDataOf(tables),
    }) as Seed
  })
}

/** A value without the fields that are undefined, and without empty lists of a seed. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => [name, defined(field)] as const)
  return Object.fromEntries(fields)
}

function userOf(tables: ItemTables, id: number): SeedUser {
  const user = tables.users.get(id)!
  const {login, name, email, root_id: rootId, created_at} = user
  return {
    login,
    id,
    name: unless(name, login),
    email: unless(email, `${login.toLowerCase()}@${EMAIL_DOMAIN}`),
    emailVerified: user.email_verified === 1 ? undefined : false,
    suspended: user.suspended === 1 || undefined,
    rootId,
    createdDate: dateOf(created_at),
    updatedDate: user.updated_at === created_at ? undefined : dateOf(user.updated_at),
    root: seedRoot(tables, rootId, {time: created_at, modifier: null}),
    files: childrenOf(tables, rootId, {owner: id}),
  }
}

/** The app of drv itself in a new database, without its time. */
const NEW_APP = {
  ...BUILTIN_APP,
  ...{home_url: null, suspended: 0, token_lifetime: null, reuse_interval: 0},
}

/** Whether an app is in every new database. */
function isUnchanged(app: App): boolean {
  return Object.entries(NEW_APP).every(([name, value]) => app[name as keyof App] === value)
}

function appsOf(store: Store): readonly SeedApp[] | undefined {
  const apps = allApps(store).flatMap((app): SeedApp[] => {
    if (isUnchanged(app)) return []
    return [
      {
        clientId: app.client_id,
        name: app.name,
        clientSecretHash: app.secret_hash ?? undefined,
        homeUrl: app.home_url ?? undefined,
        callbackUrl: app.callback_url ?? undefined,
        deviceFlow: app.device_flow === 1 || undefined,
        suspended: app.suspended === 1 || undefined,
        expiresIn: app.token_lifetime === null ? undefined : app.token_lifetime / 1000,
        reuseInterval: app.reuse_interval === 0 ? undefined : app.reuse_interval / 1000,
        facts: app.facts === '{}' ? undefined : (JSON.parse(app.facts) as SeedApp['facts']),
        createdDate: dateOf(app.created_at),
      },
    ]
  })
  return apps.length === 0 ? undefined : apps
}

function driveOf(store: Store, tables: ItemTables, drive: DriveRow): SeedDrive {
  const {id, name, created_at: time, creator_id: creator} = drive
  const restrictions = JSON.parse(drive.restrictions) as NonNullable<SeedDrive['restrictions']>
  const hidden = findRows<{user_id: number}>(store, 'hidden_drives', {drive_id: id}, 'user_id')
  const background = drive.background === null ? undefined : JSON.parse(drive.background)
  return {
    name,
    id,
    createdDate: dateOf(time),
    createdBy: tables.users.get(creator)!.login,
    requestId: unless(drive.request_id, id),
    ...(drive.theme_id === null
      ? {colorRgb: drive.color_rgb, backgroundImageFile: background as BackgroundImage | undefined}
      : {themeId: drive.theme_id}),
    restrictions: Object.keys(restrictions).length === 0 ? undefined : restrictions,
    hiddenFor:
      hidden.length === 0 ? undefined : hidden.map(row => tables.users.get(row.user_id)!.login),
    permissions: seedPermissions(tables, id) ?? [],
    root: seedRoot(tables, id, {time, modifier: creator}),
    files: childrenOf(tables, id, {owner: creator}),
  }
}

function organizationsOf(store: Store): readonly SeedOrganization[] | undefined {
  const all = allOrganizations(store).map(({id, name, sso, drives, created_at}) => ({
    name,
    id,
    sso: sso === 1 || undefined,
    drives: drives.length === 0 ? undefined : drives,
    createdDate: dateOf(created_at),
  }))
  return all.length === 0 ? undefined : all
}

function appDataOf(tables: ItemTables): readonly SeedAppData[] | undefined {
  const roots = (tables.children.get('') ?? []).filter(({space}) => space === 'appDataFolder')
  const all = roots.map(({id, owner_id, client_id, created_at: time}) => ({
    user: tables.users.get(owner_id!)!.login,
    app: client_id ?? undefined,
    id,
    createdDate: dateOf(time),
    root: seedRoot(tables, id, {time, modifier: null}),
    files: childrenOf(tables, id, {owner: owner_id!, client: client_id}),
  }))
  return all.length === 0 ? undefined : all
}
