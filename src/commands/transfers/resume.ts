import {BaseCommand} from '#lib/cli/run/base-command.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {sentenceFor} from '#lib/cli/explain/explain.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {progressFlag} from '#lib/cli/terminal/progress.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {chosen, goOn, keyArg, journalOf, localPath} from '#lib/cli/verbs/content/transfers.js'
import {isOwn} from '#lib/transfer/journal/journal.js'

const COLUMNS = ['key', 'result', 'path']

export default class TransfersResume extends BaseCommand {
  static override strict = false
  static override effect = 'changes' as const
  static override summary = 'Go on with interrupted transfers.'
  static override description =
    'Without a name all those of the profile and service in force go on, one after the other. A file that changed since is sent anew.'
  static override examples = examplesOf([
    ['Go on with everything', 'transfers resume'],
    ['Go on with one of those that `drv transfers list` shows', 'transfers resume "$KEY"'],
  ])
  static override args = keyArg
  static override flags = progressFlag

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    const {argv, flags} = await this.parse(TransfersResume)
    const journal = await journalOf(this.context)
    const keys = argv.map(String)
    const transfers = chosen(await journal.list(), keys)
    if (transfers.some(({entry}) => entry.kind === 'upload')) {
      await refuseChanges(this.context, 'To go on with an upload')
    }
    const things = transfers.map(({key, entry}) => `${key} ${localPath(entry)}`)
    if (await this.printer.preview('resume', ...things)) return
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
        this.context.note(`Left out: ${path} ${other}.`)
        continue
      }
      try {
        await goOn(this.context, entry, flags.progress)
        rows.push({key, result: 'done', path})
      } catch (error) {
        this.context.signal.throwIfAborted()
        if (transfers.length === 1) throw error
        failed += 1
        this.context.io.say(`Failed: ${problemLine(path, sentenceFor(error))}`)
        rows.push({key, result: 'failed', path})
      }
    }
    await this.printer.records(rows, COLUMNS)
    if (failed > 0) {
      const words = `${failed} of ${transfers.length} transfers failed.`
      throw new CommandError('partial', words, '`drv transfers list` shows what is left.')
    }
  }
}
