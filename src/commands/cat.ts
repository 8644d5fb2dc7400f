import {Args} from '@oclif/core'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {manyFlags, withRepeatable} from '#lib/cli/input/items/several.js'
import {withExitCodes} from '#lib/cli/input/names/resolver.js'
import {limitRateFlag, noFollowFlag} from '#lib/cli/input/shared-flags.js'
import {formats} from '#lib/cli/output/formats.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'
import type {RunInputs} from '#lib/cli/run/verb-description.js'
import {withContent, writeOut} from '#lib/cli/verbs/content/to-stdout.js'
import type {CallInput} from '#lib/client/client.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf} from '#lib/transfer/remote/records.js'
import {followShortcut} from '#lib/transfer/remote/shortcuts.js'
import type {RemoteFile} from '#lib/transfer/tree/entries.js'
import {requestFor} from '#lib/transfer/tree/pull.js'

const {concurrency: _, ...flags} = manyFlags

/** Export formats that are readable as text, as file extensions, the preferred one first. */
const TEXTS = ['txt', 'csv', 'md', 'html', 'json']

export default everydayCommand('files.get', {
  everyDay: 6,
  summary: 'Print the content of files to standard output, one after another.',
  description:
    'FILE is a path, a link or an ID. Editor documents are exported as text (spreadsheets as CSV), where the service supports it; a notice names the format. Folders are not supported.',
  usage: 'cat FILE... [FLAGS]',
  examples: [
    ['Read a file', 'cat /Reports/notes.txt'],
    ['Concatenate two files', 'cat /logs/1.log /logs/2.log > both.log'],
  ],
  args: withRepeatable(
    {
      file_id: Args.string({
        description: 'File (path, link or ID).',
        required: true,
        ignoreStdin: true,
      }),
    },
    'file_id',
  ),
  several: 'file_id',
  flags: {
    ...limitRateFlag,
    ...noFollowFlag('Report an error for a shortcut instead of printing its target.'),
    ...flags,
  },
  columns: [],
  // Content is printed unchanged in every output format; the rows of a dry run are formatted.
  printing: ({dryRun}) => ({adapt: output => (dryRun ? output : formats.tsv)}),
  // One file at a time, so that the contents do not mix.
  settle: input => ({...input, flags: {...input.flags, concurrency: '1'}}),
  route: (input, parsed, surroundings) => ({
    async work() {
      const {context} = surroundings
      const file = await fileOf(input, parsed, surroundings)
      const {exported} = file
      if (exported) context.note(`Exporting ${exported.document.title} as ${exported.type}.`)
      await writeOut(context, file, parsed.flags)
      return undefined
    },
    async preview() {
      const {operation, params} = requestFor(await fileOf(input, parsed, surroundings))
      return [operation, {params: operation === 'files.get' ? {...params, alt: 'media'} : params}]
    },
  }),
  // `work` has already written the content.
  print: async () => {},
})

async function fileOf(
  {params}: CallInput,
  {args, flags}: Parsed,
  {context}: RunInputs,
): Promise<RemoteFile> {
  const client = await context.client()
  const request = {fileId: params.fileId!, ...ALL_DRIVES, fields: ENTRY_FIELDS}
  const record = (await client.call('files.get', {params: request})) ?? {}
  const word = String(args.file_id)
  const found = {entry: entryOf(record)}
  const {entry} = flags['no-follow']
    ? found
    : await withExitCodes(() => followShortcut(client, found, word))
  return withContent(entry, word, TEXTS)
}
