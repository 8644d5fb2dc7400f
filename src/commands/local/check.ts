import {dataDirectory, dataFlag} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import type {CheckSummary, DataFinding} from '#lib/service/check.js'

const COLUMNS = ['what', 'path', 'problem', 'files.id', 'files.title']

export default verb({
  summary: 'Verify all stored content of the local service and list problems.',
  description:
    'Compares the content of every file with its size and MD5 in the database. Lists damaged content, missing content, and surplus files that are not in the database. Paths are relative to the data directory. The check changes nothing, and can run while the service is running. Exits with code 11 if it finds a problem.',
  examples: [
    ['Check the default data directory', 'local check'],
    ['Check a copy and print the problems as JSON', 'local check --data copy --json'],
  ],
  flags: {...dataFlag, ...progressFlag},
  effect: 'reads',
  columns: [...COLUMNS, 'files.revision_id'],
  async run({flags}, context, printer) {
    const directory = dataDirectory(flags.data, context.environment)
    const {checkData} = await import('#lib/service/check.js')
    const findings: DataFinding[] = []
    const summary = await withProgress(
      context,
      {label: 'Checking', isWanted: flags.progress},
      async onProgress => {
        // The modification times of files come from the system clock.
        const all = checkData(directory, {now: Date.now(), signal: context.signal, onProgress})
        for (;;) {
          const {done, value} = await all.next()
          if (done) return value
          findings.push(value)
        }
      },
    )
    await printer.records(
      findings.map(finding => ({...finding})),
      COLUMNS,
    )
    if (summary.young > 0) context.note(youngNote(summary.young))
    if (findings.length > 0) throw problemsFound(directory, findings)
    context.note(successNote(directory, summary))
  },
})

function successNote(directory: string, {contents, bytes}: CheckSummary): string {
  return `Checked ${count(contents, 'content')} (${sizeText(bytes)}) in ${directory}: no problems found.`
}

function youngNote(young: number): string {
  const files = young === 1 ? '1 file that is' : `${young} files that are`
  return `Skipped ${files} less than a day old and not in the database: possibly an upload in progress.`
}

function problemsFound(directory: string, findings: readonly DataFinding[]): CommandError {
  const numbers = (['damaged', 'missing', 'surplus'] as const).flatMap(what => {
    const number = findings.filter(finding => finding.what === what).length
    return number > 0 ? [`${number} ${what}`] : []
  })
  const isLoss = findings.some(({what}) => what !== 'surplus')
  return new CommandError(
    'content',
    `Found problems with content in ${directory}: ${numbers.join(', ')}.`,
    isLoss
      ? 'Restore damaged and missing content from a backup, or upload it again with `drv files update FILE PATH --no-new-revision`.'
      : 'All content in the database is intact. You can move the surplus files elsewhere.',
  )
}
