import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {mapRecords} from '#lib/cli/input/items/item-source.js'
import {nameIn, namingFields} from '#lib/cli/input/items/record-names.js'
import {checkOneReader, manyFlags} from '#lib/cli/input/items/several.js'
import {wordsOfStdin} from '#lib/cli/input/items/stdin-names.js'
import type {PartialInput} from '#lib/cli/input/missing-inputs.js'
import {expandGlobs} from '#lib/cli/input/names/globs.js'
import {
  effectiveRole,
  type Grantee,
  roleNamed,
  whoIn,
  whoOf,
} from '#lib/cli/input/names/permissions.js'
import {readRemotePath} from '#lib/cli/input/names/resolver.js'
import type {Layout, Row} from '#lib/cli/output/format.js'
import {type Engine, runPlan} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import {printPreview} from '#lib/cli/run/preview.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {printerResults} from '#lib/cli/run/report.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {type AccessPair, CHANGE_COLUMNS} from './plan.js'
import {readAccess, ROLE_WORDS, SHARE_ROLES} from './read-access.js'

export const sharingArgs = {
  words: Args.string({
    description:
      'Files and folders (path, link or ID; - reads them from standard input) and WHO: email addresses, @example.com for a domain, or anyone (everyone who has the link).',
    multiple: true,
    ignoreStdin: true,
  }),
}

export const sharingFlags = {from: manyFlags.from}

/** The files and people in the arguments of `drv share` and `drv unshare`. */
interface Named {
  readonly files: readonly string[]
  readonly whos: readonly Grantee[]
}

/** The numbers of files and people in the arguments. Sends no request and does not read standard input. */
export function countFilesAndPeople({args}: PartialInput) {
  const words = [args.words ?? []].flat().map(String)
  const whos = words.filter(word => whoIn(word)).length
  return {files: words.length - whos, whos}
}

/**
 * The files and people in the arguments, with the lines of standard input (files) in place of `-`. Throws
 * `UsageError` for an invalid word, and if a file is required but none is named.
 */
export async function readFilesAndPeople(
  input: PartialInput,
  isGroup: boolean,
  context: Context,
  {isFileNeeded = true} = {},
): Promise<Named> {
  checkOneReader(input)
  const files: string[] = []
  const whos: Grantee[] = []
  for (const word of [input.args.words ?? []].flat().map(String)) {
    const who = whoIn(word, isGroup)
    if (who) whos.push(who)
    else if (word === '-') files.push(...(await wordsOfStdin(context, 'fileId')))
    else files.push(...(await expandGlobs(context, [word])))
  }
  for (const file of files) readRemotePath(file)
  if (isFileNeeded && files.length === 0 && input.flags.from === undefined) {
    throw new UsageError('Missing FILE: the path, link or ID of a file or folder.')
  }
  return {files: [...new Set(files)], whos: unique(whos, ({word}) => word.toLowerCase())}
}

/** Each file with each person, and the current permissions of the files. */
export async function readPairs(
  named: Named,
  from: string | undefined,
  isGroup: boolean,
  context: Context,
) {
  context.onInterrupt(() => NOTHING_DONE)
  const pairs = await pairsOf(named, from, isGroup, context)
  const files = [...new Set(pairs.map(({file}) => file))]
  const found = await readAccess(context, files)
  return {pairs, looked: new Map(found.map(one => [one.file, one]))}
}

/** Runs the steps; with `--dry-run`, only shows them. */
export async function changeAccess(
  steps: readonly Step[],
  context: Context,
  printer: Printer,
  more: readonly string[] = [],
): Promise<void> {
  if (context.options.dryRun) return previewAccessChanges(steps, context, printer)
  const columns = [...CHANGE_COLUMNS, ...more]
  const {isProse} = printer
  const [only] = steps
  const printOne = async (record: Row = {}) => {
    if (printer.isStructured) return printer.record(record)
    if (!isProse || !only?.change) return printer.records([record], columns, 'share')
    const {resultLine} = await import('#lib/cli/run/change-results.js')
    await printer.printProse(resultLine(only.change(), undefined, context.io.color))
  }
  await runPlan(sharingEngine(context, printer, columns), steps, {
    total: steps.length,
    goOn: AGAIN,
    ...(steps.length === 1 && {printOne}),
  })
}

/** The engine for plans that change access. */
export function sharingEngine(
  context: Context,
  printer: Printer,
  columns: readonly string[] = CHANGE_COLUMNS,
): Engine {
  const layout = (): Layout => ({
    ...printer.layout([...columns]),
    ...(!context.options.columns && {name: 'share'}),
  })
  return {
    context,
    explain: context.explain,
    results: printerResults(printer, layout, printer.isProse),
  }
}

/** Prints what the steps would do; with `--plan`, writes them. */
export async function previewAccessChanges(
  steps: readonly Step[],
  context: Context,
  printer: Printer,
): Promise<void> {
  const {explain, io, options} = context
  if (options.plan !== undefined) {
    await printPreview(sharingEngine(context, printer), steps, {})
    return
  }
  const rows = steps.map((step): Row => {
    if ('error' in step) {
      const {message} = explain(step.error)
      if (!printer.isStructured) io.say(`Would fail: ${problemLine(labelOf(step), message)}`)
      return {...(step.original as Row), error: message}
    }
    const isChange = 'call' in step || 'work' in step
    const id = 'call' in step ? step.call.id : 'permissions.insert'
    return {operation: isChange ? id : 'nothing', ...step.rowOf?.(undefined)}
  })
  if (printer.isProse) {
    const {changeText} = await import('#lib/cli/changes/words.js')
    for (const {change} of steps) {
      if (change) await printer.printProse(`${changeText(change(), 'would')}\n`)
    }
    return
  }
  const shown = printer.isStructured ? rows : rows.filter(({error}) => error === undefined)
  await printer.records(shown, ['operation', 'file', 'who', 'role', 'before'])
}

/** Repeating is safe: sharing again does not change access that is already as requested. */
const AGAIN = 'To continue, run the same command again.'

/**
 * Each file with each person. The records of `from` supply what the arguments do not name: `file` (or `fileId`,
 * `path`, `id`), `who` (or `emailAddress`) and `role`, as in the output of `drv share FILE`.
 */
async function pairsOf(
  {files, whos}: Named,
  from: string | undefined,
  isGroup: boolean,
  context: Pick<Context, 'io' | 'waits' | 'options'>,
): Promise<readonly AccessPair[]> {
  const both = (files: readonly string[], whos: readonly Grantee[], role?: string) =>
    files.flatMap(file =>
      whos.map((who): AccessPair => ({file, who, ...(role !== undefined && {role})})),
    )
  if (from === undefined) return both(files, whos)
  const pairs = await mapRecords(from, context, record => {
    const isWhole = files.length > 0 && whos.length > 0
    if (isWhole && record.role === undefined) throw new UsageError('The record has no role.')
    const role = roleIn(record)
    return both(
      files.length > 0 ? files : [fileIn(record)],
      whos.length > 0 ? whos : [whoOfRecord(record, isGroup)],
      role,
    )
  })
  return unique(pairs.flat(), ({file, who}) => JSON.stringify([file, who.word.toLowerCase()]))
}

/** The columns that name a file. */
const NAMING = ['file', ...namingFields('fileId')]

type Fields = Readonly<Record<string, unknown>>

function fileIn(record: Fields): string {
  const {file, id: _, ...rest} = record
  if (!NAMING.some(name => typeof record[name] === 'string' && record[name] !== '')) {
    throw new UsageError(
      'The record has no FILE.',
      'Add a column "file" with a path, a link or an ID, or pass FILE as an argument.',
    )
  }
  if (typeof file === 'string' && file !== '') {
    readRemotePath(file)
    return file
  }
  // In the record of a permission, `id` is the ID of the permission, not of a file.
  return nameIn(record.type === undefined ? record : rest, 'fileId')
}

function whoOfRecord(record: Fields, isGroup: boolean): Grantee {
  const {who, value, email} = record
  const word = [who, email, value].find(text => typeof text === 'string' && text !== '')
  const named = whoIn(String(word ?? whoOf(record)), isGroup || record.type === 'group')
  if (named) return named
  throw new UsageError(
    'The record has no WHO.',
    'Add a column "who" with an email address, @DOMAIN or anyone.',
  )
}

/** The role in a record. Throws `UsageError` for an invalid role. */
function roleIn({role, additionalRoles}: Fields): string | undefined {
  if (role === undefined || role === '' || role === null) return undefined
  const name = roleNamed(effectiveRole({role, additionalRoles}))
  if ([...SHARE_ROLES, 'owner'].includes(name)) return name
  throw new UsageError(
    `Invalid role in a record: ${JSON.stringify(role)}.`,
    `Use one of ${ROLE_WORDS.join(', ')}.`,
  )
}

function unique<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
  return [...new Map(all.map(one => [keyOf(one), one])).values()]
}
