import {DataError} from '#lib/platform/setup-error.js'
import {recordChanges, recordDriveChange} from '#lib/service/store/changes.js'
import type {Blob} from '#lib/service/store/content/content.js'
import {discardBlob} from '#lib/service/store/files/revisions.js'
import type {Store} from '#lib/service/store/index.js'
import {defaultUser, hasUsers, saveSeedRow, seedRow} from '#lib/service/store/seeded.js'
import {audienceOf} from '#lib/service/store/sharing/audience.js'
import {applyApp, applyOrganization, applyUser} from './accounts.js'
import {digestOf} from './content.js'
import {completeItem} from './details.js'
import {expandItems} from './expand.js'
import {type LoadedItem, loadItems, type Place, placeItems} from './items.js'
import {applyAppData, applyDrive, completeRoot, driveNamed, myDrive} from './places.js'
import type {SeedSource} from './read.js'
import type {SeedFile, SeedRoot} from './seed.js'
import {createSeedRun, type SeedRun} from './seed-run.js'
import {type SeedPath, SeedProblem} from './validate.js'

/**
 * Fills an empty store with a seed, and remembers it. Returns whether the store was already made from the same seed,
 * and stays as it is. Throws `SeedError` for an invalid seed, and `DataError` for a store with other data.
 */
export async function fillStore(store: Store, source: SeedSource, now: number): Promise<boolean> {
  const digest = await located(source, () => digestOf(source.folder, source.seed))
  const isFilled = () => {
    if (!hasUsers(store)) return false
    if (seedRow(store)?.digest === digest) return true
    throw otherData(store, source)
  }
  if (isFilled()) return true
  let isLate = false
  await applySeed(store, source, now, () => {
    // Another process may have filled it meanwhile.
    isLate = isFilled()
    if (!isLate) saveSeedRow(store, {digest, file: source.file ?? null})
    return !isLate
  })
  return isLate
}

function otherData(store: Store, {file = 'the seed'}: SeedSource): DataError {
  const former = seedRow(store)
  const {directory} = store
  const reason =
    former === undefined
      ? `was not created from ${file}`
      : former.file === file
        ? `was created before ${file} changed`
        : `was created from another seed${former.file === null ? '' : `, ${former.file}`}`
  return new DataError(
    `The directory ${directory} already has data that ${reason}.`,
    'Pass a new directory with --data, or delete the data with `drv local reset`.',
  )
}

/** Items of a seed with stored content, and where they are in the seed. */
interface LoadedPlace {
  readonly path: SeedPath
  readonly items: readonly LoadedItem[]
}

/** The lists of items in a seed: of the default user, the users, shared drives, and apps. */
type Part = 'files' | 'users' | 'drives' | 'appData'

/**
 * Adds a seed to a store, in one transaction. In it, `isDue` decides first whether to add anything. Throws
 * `SeedError`.
 */
export async function applySeed(
  store: Store,
  source: SeedSource,
  now: number,
  isDue = () => true,
): Promise<void> {
  const stored: Blob[] = []
  let isAdded = false
  try {
    await located(source, async () => {
      const loaded = await loadParts(store, source, stored)
      store.write(() => {
        if (!isDue()) return
        writeSeed(createSeedRun(store, now), source, loaded)
        isAdded = true
      })
    })
  } finally {
    if (!isAdded) for (const {id} of stored) discardBlob(store, id)
  }
}

/** The result of `work`, with its `SeedProblem` as an error that names the file and the line. */
async function located<T>(source: SeedSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SeedProblem ? source.errorAt(error) : error
  }
}

type Loaded = Readonly<Record<Part, readonly LoadedPlace[]>>

async function loadParts(
  store: Store,
  {seed, folder}: SeedSource,
  stored: Blob[],
): Promise<Loaded> {
  const load = async (files: readonly SeedFile[] | undefined, path: SeedPath) => {
    const items = await expandItems(files, folder, [...path, 'files'])
    return {path, items: await loadItems(store, items, folder, stored)}
  }
  const all = async (part: 'users' | 'drives' | 'appData') => {
    const places: LoadedPlace[] = []
    for (const [index, {files}] of (seed[part] ?? []).entries()) {
      places.push(await load(files, [part, index]))
    }
    return places
  }
  return {
    files: [await load(seed.files, [])],
    users: await all('users'),
    drives: await all('drives'),
    appData: await all('appData'),
  }
}

/** A root folder with its items. */
interface Filling extends LoadedPlace {
  readonly place: Place
  readonly root?: SeedRoot
}

function writeSeed(run: SeedRun, {seed}: SeedSource, loaded: Loaded): void {
  const {store, now} = run
  const users = (seed.users ?? []).map((user, index) => applyUser(run, user, ['users', index]))
  const first = users[0] ?? defaultUser(store, now)
  for (const [index, app] of (seed.apps ?? []).entries()) applyApp(run, app, ['apps', index])
  const drives = (seed.drives ?? []).map((drive, index) =>
    applyDrive(run, drive, ['drives', index], first),
  )
  const hidden = (seed.appData ?? []).map((data, index) =>
    applyAppData(run, data, ['appData', index]),
  )
  const fillings: readonly Filling[] = [
    ...loaded.files.map(each => ({...each, place: myDrive(first)})),
    ...users.map((user, index) => ({
      ...{...loaded.users[index]!, place: myDrive(user)},
      root: seed.users![index]!.root,
    })),
    ...drives.map((place, index) => ({
      ...{...loaded.drives[index]!, place},
      root: seed.drives![index]!.root,
    })),
    ...hidden.map((place, index) => ({
      ...{...loaded.appData[index]!, place},
      root: seed.appData![index]!.root,
    })),
  ]
  for (const [index, organization] of (seed.organizations ?? []).entries()) {
    applyOrganization(run, organization, ['organizations', index], (name, path) =>
      driveNamed(run, name, path),
    )
  }
  const placed = fillings.flatMap(({items, place}) => placeItems(run, items, place))
  for (const item of placed) completeItem(run, item)
  recordChanges(
    store,
    now,
    placed.map(({id}) => id),
    'add',
  )
  for (const {root, place, path} of fillings) completeRoot(run, root, place, path)
  for (const {driveId} of drives) {
    recordDriveChange(store, now, driveId!, audienceOf(store, driveId!).lines.keys())
  }
}
