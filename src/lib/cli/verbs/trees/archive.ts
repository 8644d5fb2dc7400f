import type {Context} from '#lib/cli/context/context.js'
import {chooseAt, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {limitedTransfer} from '#lib/cli/input/shared-flags.js'
import type {Step} from '#lib/cli/run/plan.js'
import {PREVIEW_COLUMNS} from '#lib/cli/run/preview.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {withContent, writeOut} from '#lib/cli/verbs/content/to-stdout.js'
import {createRules} from '#lib/transfer/local/rules.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {remoteSources} from '#lib/transfer/remote/sources.js'
import {type Archive, createArchive} from '#lib/transfer/tree/archive.js'
import type {RemoteFolder} from '#lib/transfer/tree/entries.js'
import {planPullTree, type PullPiece} from '#lib/transfer/tree/pull-tree.js'
import {type PullStep, stepsOfAction} from '#lib/transfer/tree/steps.js'
import type {World} from '#lib/transfer/types.js'
import {withNotices} from './pull.js'
import {checkIncludes, isIncludeIdle, wantedBy} from './rules.js'
import {runTree, type TreeFlags, type TreeResult, type TreeRun} from './tree-run.js'
import {previewStep, stepFacts, stepWithoutTransfer} from './tree-steps.js'

/** Archives use the rules of systems without reserved names, regardless of the system that drv runs on. */
const RULES = {isWindows: false, isCaseSensitive: true}

/** The content that `drv pull REMOTE -` writes to standard output. */
interface StdoutRequest {
  readonly places: readonly RemotePath[]
  /** The export formats of editor documents, as file extensions. */
  readonly formats: readonly string[]
  /** Whether to write a tar archive even for a single file. */
  readonly isTar: boolean
}

/** Writes the content of a file to standard output, or a tar archive of files and folders. */
export async function pullToStdout(
  context: Context,
  printer: Printer,
  {places, formats, isTar}: StdoutRequest,
  flags: TreeFlags,
): Promise<void> {
  for (const name of ['delete', 'if-exists']) {
    if (!flags[name]) continue
    throw new UsageError(`--${name} cannot be used when LOCAL is - (standard output).`)
  }
  const client = await context.client()
  const {signal, options} = context
  const follows = !flags['no-follow']
  const found = {signal, choose: chooseAt(context), follows}
  const remote = await withExitCodes(() => remoteSources(client, places, found))
  const entries = remote.entries ?? []
  const isOfFolders = !remote.isPartial || entries.some(({kind}) => kind === 'folder')
  if (isTar || isOfFolders) return archiveTree(context, printer, {remote, formats}, flags)
  if (flags.type !== undefined) {
    throw new UsageError('--type has no effect: a single file is written to standard output.')
  }
  const [entry] = entries
  const [place] = places
  if (!entry || !place || entries.length > 1) {
    throw new UsageError(
      `Cannot write ${entries.length} files to standard output.`,
      'Pass --format tar for an archive, or concatenate the files with `drv cat`.',
    )
  }
  const file = await withContent(entry, place.text, formats)
  if (!options.dryRun) return writeOut(context, file, flags)
  const rows = [{action: 'download', input: file.title, ...(!file.exported && {bytes: file.size})}]
  await printer.records(rows, PREVIEW_COLUMNS)
}

/** Writes files and folders to standard output as a tar archive. */
async function archiveTree(
  context: Context,
  printer: Printer,
  {remote, formats}: {readonly remote: RemoteFolder; readonly formats: readonly string[]},
  flags: TreeFlags,
): Promise<void> {
  const {io, signal, options} = context
  if (io.isTerminal && !options.dryRun) {
    throw new UsageError(
      'Cannot write a tar archive to a terminal.',
      'Redirect it to a file or pipe it to a program, as in `drv pull /folder - > folder.tar`.',
    )
  }
  // Standard output contains only the archive.
  const results = options.dryRun ? printer : {...printer, isStructured: false}
  await runTree<PullPiece>(context, results, flags, 'pull', async () => {
    const world = await limitedTransfer(context, flags['limit-rate'])
    const leftOutBy = createRules(flags)
    const plan = {
      ...{client: world.client, signal, leftOutBy, formats, rules: RULES},
      follows: !flags['no-follow'],
      isWanted: await wantedBy(flags.type),
      ...({ifExists: 'replace', mirror: false} as const),
    }
    const archive = createArchive(
      bytes =>
        new Promise((resolve, reject) => {
          io.stdout.write(bytes, error => (error ? reject(error) : resolve()))
        }),
    )
    return {
      pieces: withNotices(context, planPullTree({path: '', remote}, plan), () =>
        checkIncludes(flags, leftOutBy),
      ),
      isWhole: isIncludeIdle(flags, leftOutBy),
      preview: ({steps}) => steps.map(step => previewStep(step, 'remote')),
      ask: async () => undefined,
      begin: async () => undefined,
      end: () => archive.end(),
      resumes: false,
      async *stepsOf(pieces, run) {
        for await (const {steps} of pieces) {
          run.expect(stepsOfAction(steps, 'download').length)
          for (const step of steps)
            yield stepWithoutTransfer(step) ?? entryStep(step, archive, world, run)
        }
      },
    }
  })
}

/** The step that adds an entry to the archive; a retry adds it at the end. */
function entryStep(step: PullStep, archive: Archive, world: World, run: TreeRun): Step {
  let first: ReturnType<Archive['place']> | undefined = archive.place()
  const takePlace = () => {
    const place = first ?? archive.place()
    first = undefined
    return place
  }
  const {path} = step
  const facts = stepFacts(step, 'remote')
  if (step.action !== 'download') {
    return {
      ...facts,
      async work(): Promise<TreeResult> {
        await archive.addFolder(takePlace(), path)
        return {}
      },
    }
  }
  const {remote} = step
  return {
    ...facts,
    work: signal =>
      run.watch(path, async (onProgress): Promise<TreeResult> => {
        const entry = {path, remote, onProgress}
        return {bytes: await archive.addFile({...world, signal}, takePlace(), entry)}
      }),
  }
}
