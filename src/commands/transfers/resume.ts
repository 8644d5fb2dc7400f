import {sentenceFor} from '#lib/cli/explain/explain.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {progressFlag} from '#lib/cli/terminal/progress.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {chosen, goOn, journalOf, keyArg, localPath} from '#lib/cli/verbs/content/transfers.js'
import {isOwn} from '#lib/transfer/journal/journal.js'

const COLUMNS = ['key', 'result', 'path']

export default verb({
  summary: 'Go on with interrupted transfers.',
  description:
    'Without a name all those of the profile and service in force go on, one after the other. A file that changed since is sent anew.',
  examples: [
    ['Go on with everything', 'transfers resume'],
    ['Go on with one of those that `drv transfers list` shows', 'transfers resume "$KEY"'],
  ],
  args: keyArg,
  flags: progressFlag,
  strict: false,
  effect: 'changes',
  columns: COLUMNS,
  async run({words, flags}, context, printer) {
    const journal = await journalOf(context)
    const keys = [...words]
    const transfers = chosen(await journal.list(), keys)
    if (transfers.some(({entry}) => entry.kind === 'upload')) {
      await refuseChanges(context, 'To go on with an upload')
    }
    const things = transfers.map(({key, entry}) => `${key} ${localPath(entry)}`)
    if (await printer.preview('resume', ...things)) return
    const rows = []
    let failed = 0
    for (const {key, entry, isActive} of transfers) {
      const path = localPath(entry)
      const other = isActive
        ? 'is under way in another process'
        : isOwn(entry, journal)
          ? undefined
          : `belongs to profile ${entry.profile} at ${entry.baseUrl}: use --profile`
      if (other !== undefined) {
        if (keys.length > 0) throw new CommandError('conflict', `${key} ${other}.`)
        context.note(`Left out: ${path} ${other}.`)
        continue
      }
      try {
        await goOn(context, entry, flags.progress)
        rows.push({key, result: 'done', path})
      } catch (error) {
        context.signal.throwIfAborted()
        if (transfers.length === 1) throw error
        failed += 1
        context.io.say(`Failed: ${problemLine(path, sentenceFor(error))}`)
        rows.push({key, result: 'failed', path})
      }
    }
    await printer.records(rows, COLUMNS)
    if (failed > 0) {
      const words = `${failed} of ${transfers.length} transfers failed.`
      throw new CommandError('partial', words, '`drv transfers list` shows what is left.')
    }
  },
})
