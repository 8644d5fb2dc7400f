import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {checkOneReader, manyFlags} from '#lib/cli/input/items/several.js'
import type {Given} from '#lib/cli/input/missing-inputs.js'
import {whoIn} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {type Named, namedBy, pairsOf} from './pairs.js'
import {CHANGE_COLUMNS} from './plan.js'
import {lookAt} from './read-access.js'

export const sharingArgs = {
  words: Args.string({
    description:
      'Files and folders (path, link or ID), or - for lines of standard input; and who: e-mail addresses, @example.com for a domain, anyone for whoever has the link.',
    multiple: true,
    ignoreStdin: true,
  }),
}

export const sharingFlags = {from: manyFlags.from}

/** How many of the words are files and how many people; no request and no standard input for it. */
export function countWords({args}: Given) {
  const words = [args.words ?? []].flat().map(String)
  const whos = words.filter(word => whoIn(word)).length
  return {files: words.length - whos, whos}
}

/** The files and people of the command line. Throws `UsageError` where no file is named. */
export async function namedOnLine(
  given: Given,
  isGroup: boolean,
  context: Context,
): Promise<Named> {
  checkOneReader(given)
  const words = [given.args.words ?? []].flat().map(String)
  const named = await namedBy(words, isGroup, context)
  if (named.files.length > 0 || given.flags.from !== undefined) return named
  throw new UsageError('FILE is missing: the file or folder, by path, link or ID.')
}

/** Each file with each person, and who has access to the files now. */
export async function readPairs(
  named: Named,
  from: string | undefined,
  isGroup: boolean,
  context: Context,
) {
  context.onInterrupt(() => NOTHING_DONE)
  const pairs = await pairsOf(named, from, isGroup, context)
  const files = [...new Set(pairs.map(({file}) => file))]
  const found = await lookAt(context, files)
  return {pairs, looked: new Map(found.map(one => [one.file, one]))}
}

/** Carries out the steps, or only shows what they would do. */
export async function changeAccess(
  steps: readonly Step[],
  context: Context,
  printer: Printer,
): Promise<void> {
  if (context.options.dryRun) return previewSteps(steps, context, printer)
  const columns = [...CHANGE_COLUMNS]
  const printOne = (record: Row = {}) =>
    printer.isStructured ? printer.record(record) : printer.records([record], columns, 'share')
  await runPlan(
    {
      context,
      explain: context.explain,
      results: {
        output: printer.output,
        isOfLists: false,
        text: () =>
          (printer.output.array ?? printer.output.list)({
            ...printer.layout(columns),
            ...(!context.options.columns && {name: 'share'}),
          }),
        prepared: printer.prepare,
        show: printer.show,
      },
    },
    steps,
    {total: steps.length, goOn: AGAIN, ...(steps.length === 1 && {printOne})},
  )
}

async function previewSteps(
  steps: readonly Step[],
  {explain, io}: Context,
  printer: Printer,
): Promise<void> {
  const rows = steps.map((step): Row => {
    if ('error' in step) {
      const {message} = explain(step.error)
      if (!printer.isStructured) io.say(`Would fail: ${problemLine(labelOf(step), message)}`)
      return {...(step.original as Row), error: message}
    }
    return {operation: 'call' in step ? step.call.id : 'nothing', ...step.rowOf?.(undefined)}
  })
  const shown = printer.isStructured ? rows : rows.filter(({error}) => error === undefined)
  await printer.records(shown, ['operation', 'file', 'who', 'role', 'before'])
}

/** Sharing again changes nothing that is as it should be. */
const AGAIN = 'Run the same command again: what is done stays as it is.'
