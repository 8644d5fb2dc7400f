import {dataDirectory, dataFlag} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import type {CheckSummary, Finding} from '#lib/service/check.js'

const COLUMNS = ['what', 'path', 'problem', 'files.id', 'files.title']

export default verb({
  summary: 'Read all contents of the local service and list what is not sound.',
  description:
    'Every content is held against the size and the MD5 that the database has of it: listed is what is damaged, missing, or surplus because the database does not name it. Paths are below the data directory. Nothing is changed, and the service may run meanwhile. The exit code is 11 where something is listed.',
  examples: [
    ['Check the usual data directory', 'local check'],
    ['Check a copy, for a program', 'local check --data copy --json'],
  ],
  flags: {...dataFlag, ...progressFlag},
  effect: 'reads',
  columns: [...COLUMNS, 'files.revision_id'],
  async run({flags}, context, printer) {
    const directory = dataDirectory(flags.data, context.environment)
    const {checkData} = await import('#lib/service/check.js')
    const findings: Finding[] = []
    const summary = await withProgress(
      context,
      {label: 'Checking', isWanted: flags.progress},
      async onProgress => {
        // Contents are as old as the system's clock says.
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
    if (findings.length > 0) throw unsound(directory, findings)
    context.note(soundNote(directory, summary))
  },
})

function soundNote(directory: string, {contents, bytes}: CheckSummary): string {
  return `${count(contents, 'content')} of ${sizeText(bytes)} in ${directory}: all sound.`
}

function youngNote(young: number): string {
  const files = young === 1 ? '1 file that is' : `${young} files that are`
  return `Left out: ${files} not in the database, and less than a day old: that may be an upload under way.`
}

function unsound(directory: string, findings: readonly Finding[]): CommandError {
  const told = (['damaged', 'missing', 'surplus'] as const).flatMap(what => {
    const number = findings.filter(finding => finding.what === what).length
    return number > 0 ? [`${number} ${what}`] : []
  })
  const isLoss = findings.some(({what}) => what !== 'surplus')
  return new CommandError(
    'content',
    `Not all contents in ${directory} are sound: ${told.join(', ')}.`,
    isLoss
      ? 'Put what is damaged or missing back from a backup, or upload it anew with `drv files update FILE PATH --no-new-revision`.'
      : 'All that the database names is sound. What it does not name can be moved elsewhere.',
  )
}
