import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readLocalText} from '#lib/cli/terminal/io.js'
import type {SeedSource} from '#lib/service/seed/read.js'

const HINT = 'Run `drv local serve --help-all` to see the format of --seed.'

/** The flag for the data that the local service starts with. */
export const seedFlag = {
  seed: Flags.string({
    summary:
      'Load initial data from a YAML or JSON file: users, apps, drives, files. The data directory must be empty, or created from the same seed.',
    description: `An object with these lists; most fields have defaults. dist/seed.schema.json in the package of drv describes all fields.
users: login, id, name, email, suspended, rootId, files (the items of My Drive).
apps: clientId, name, clientSecret, callbackUrl, deviceFlow, expiresIn (seconds).
drives: name, id, restrictions, permissions, files.
organizations: name, sso, drives (IDs or names).
files (of the first user), appData: items as in users.
An item of files: title, id, children (makes it a folder), mimeType, owner, description, trashed, shortcutTarget,
  createdDate, modifiedDate, permissions (role, value, type), properties (key, value), labels (id), and
  content: text, base64, size ("10 MiB", generated), path (a file or folder, relative to the seed), or
  revisions: several of these, oldest first.
Dates: 2027-03-01T12:00:00Z, or an age such as 7d.`,
    helpValue: 'FILE',
  }),
}

/** Reads the file of `--seed`. Throws `UsageError` for an invalid seed. */
export async function seedIn(
  path: string | undefined,
  context: Pick<Context, 'waits'>,
): Promise<SeedSource | undefined> {
  if (path === undefined) return undefined
  if (path === '') throw new UsageError('Invalid --seed: must not be empty.')
  const text = await readLocalText(path, context).catch((error: unknown) => {
    throw unreadableFileError(`the seed ${path}`, error)
  })
  const {readSeed} = await import('#lib/service/seed/read.js')
  return explainingSeed(() => readSeed(text, path))
}

/** The result of `work`. Throws `UsageError` instead of `SeedError`. */
export async function explainingSeed<T>(work: () => Promise<T>): Promise<T> {
  const {SeedError} = await import('#lib/service/seed/read.js')
  try {
    return await work()
  } catch (error) {
    if (error instanceof SeedError) throw new UsageError(error.message, HINT)
    throw error
  }
}
