import {createWriteStream, existsSync} from 'node:fs'
import {mkdir} from 'node:fs/promises'
import {basename, dirname, extname, join} from 'node:path'
import {Readable} from 'node:stream'
import {pipeline} from 'node:stream/promises'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {yamlDocument} from '#lib/cli/output/yaml.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {writeWhole} from '#lib/platform/write-file.js'
import type {SeparateContent} from '#lib/service/seed/export-content.js'
import type {Seed, SeedFile} from '#lib/service/seed/seed.js'
import type {Store} from '#lib/service/store/index.js'

/** Writes the data of the local service as a seed. */

/** An exported seed, and the content that is in files beside it. */
export interface ExportedSeed {
  readonly seed: Seed
  readonly separate: readonly SeparateContent[]
}

/** Exports a store for the file `output` (default: standard output). Throws `UsageError` if that needs a file. */
export async function exportStore(
  store: Store,
  {output, hasContent}: {readonly output?: string; readonly hasContent: boolean},
): Promise<ExportedSeed> {
  const [{exportSeed, SCHEMA_PATH}, {sizesOnly, wholeContent}] = await Promise.all([
    import('#lib/service/seed/export.js'),
    import('#lib/service/seed/export-content.js'),
  ])
  const folder = `${basename(output ?? '', extname(output ?? ''))}.content`
  const content = hasContent ? wholeContent(store, folder) : sizesOnly(store)
  const seed = {$schema: SCHEMA_PATH, ...exportSeed(store, content)}
  const separate = [...content.separate.values()]
  if (output === undefined && separate.length > 0) {
    throw new UsageError(
      'Cannot print the seed: content of more than 16 KiB goes to a folder next to the seed file.',
      'To write the seed to a file, pass --output FILE.',
    )
  }
  return {seed, separate}
}

/** A seed as YAML, with the comment that names its schema to editors. */
export async function seedText({$schema, ...seed}: Seed): Promise<string> {
  return `# yaml-language-server: $schema=${$schema}\n${await yamlDocument({...seed})}`
}

/** Writes a seed, as JSON for a name that ends with .json, and its content. Throws `UsageError` or `CommandError`. */
export async function writeSeedFile(
  store: Store,
  {seed, separate}: ExportedSeed,
  output: string,
  isForced: boolean,
): Promise<void> {
  if (!isForced && existsSync(output)) {
    throw new UsageError(`The file ${output} already exists.`, 'Pass --force to replace it.')
  }
  try {
    for (const {path, blob} of separate) {
      const target = join(dirname(output), path)
      await mkdir(dirname(target), {recursive: true, mode: 0o700})
      const bytes = store.content.read(blob)
      const source = Buffer.isBuffer(bytes) ? Readable.from([bytes]) : bytes
      await pipeline(source, createWriteStream(target, {mode: 0o600}))
    }
    const isJson = extname(output).toLowerCase() === '.json'
    const text = isJson ? `${JSON.stringify(seed, undefined, 2)}\n` : await seedText(seed)
    await writeWhole(output, text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    throw unwritable(output, error)
  }
}

/** The number of items in a seed. */
export function itemCount({users = [], drives = [], appData = []}: Seed): number {
  const inList = (files: readonly SeedFile[] = []): number =>
    files.reduce((sum, {children}) => sum + 1 + inList(children), 0)
  return [...users, ...drives, ...appData].reduce((sum, {files}) => sum + inList(files), 0)
}
