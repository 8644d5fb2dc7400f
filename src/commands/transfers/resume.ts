import {errorSentence} from '#lib/cli/explain/explain.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {progressFlag} from '#lib/cli/terminal/progress.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {
  journalOf,
  keyArg,
  localPath,
  resumeTransfer,
  selectTransfers,
} from '#lib/cli/verbs/content/transfers.js'
import {isOwn} from '#lib/transfer/journal/journal.js'

const COLUMNS = ['key', 'result', 'path']

export default verb({
  summary: 'Resume interrupted transfers.',
  description:
    'Without KEY, resumes all transfers of the current profile and service, one after the other. Files that have changed since are uploaded or downloaded from the start.',
  examples: [
    ['Resume all transfers', 'transfers resume'],
    ['Resume one transfer from `drv transfers list`', 'transfers resume "$KEY"'],
  ],
  args: keyArg,
  flags: progressFlag,
  effect: 'changes',
  columns: COLUMNS,
  async run({args, flags}, context, printer) {
    const journal = await journalOf(context)
    const keys = [args.key ?? []].flat().map(String)
    const transfers = selectTransfers(await journal.list(), keys)
    if (transfers.some(({entry}) => entry.kind === 'upload')) {
      await refuseChanges(context, 'Resuming an upload')
    }
    const things = transfers.map(({key, entry}) => `${key} ${localPath(entry)}`)
    if (await printer.preview('resume', ...things)) return
    const rows = []
    let failed = 0
    for (const {key, entry, isActive} of transfers) {
      const path = localPath(entry)
      const other = isActive
        ? 'is active in another process'
        : isOwn(entry, journal)
          ? undefined
          : `belongs to profile ${entry.profile} at ${entry.baseUrl} (use --profile)`
      if (other !== undefined) {
        if (keys.length > 0) throw new CommandError('conflict', `${key} ${other}.`)
        context.note(`Skipped: ${path} ${other}.`)
        continue
      }
      try {
        await resumeTransfer(context, entry, flags.progress)
        rows.push({key, result: 'done', path})
      } catch (error) {
        context.signal.throwIfAborted()
        if (transfers.length === 1) throw error
        failed += 1
        context.io.say(`Failed: ${problemLine(path, errorSentence(error))}`)
        rows.push({key, result: 'failed', path})
      }
    }
    await printer.records(rows, COLUMNS)
    if (failed > 0) {
      const words = `${failed} of ${transfers.length} transfers failed.`
      throw new CommandError('partial', words, 'Run `drv transfers list` to see what is left.')
    }
  },
})
