import type {FormatName} from '#lib/cli/output/formats.js'
import type {Page} from './page.js'

/** What each format is for. */
const words: Readonly<Record<FormatName, string>> = {
  table: 'Columns cut to the terminal; what a terminal gets.',
  tsv: 'Tabs between fields, no header; what a pipe gets.',
  csv: 'For spreadsheets, with a header in the names of the API.',
  json: 'One document: the answer of the service as it is.',
  ndjson: 'A line of JSON a record, each as soon as it is there.',
  yaml: 'The same as json, for people.',
  ids: 'The IDs alone, one a line: what other commands take from -.',
}

export const formatsPage: Page = {
  name: 'formats',
  title: 'How results are written',
  blocks: [
    {entries: Object.entries(words).map(([name, words]) => ({name: `--format ${name}`, words}))},
    {
      entries: [
        {name: '-J, --json', words: 'Same as --format json.'},
        {name: '--columns NAME,…', words: 'These fields, in this order; "help" lists them.'},
        {
          name: '--fields TEXT',
          words: 'Have the service send only these, which is less to wait for.',
        },
        {name: '--jq EXPRESSION', words: 'What jq makes of the JSON. No jq has to be installed.'},
        {name: '-q, --quiet', words: 'Nothing but results and errors.'},
      ],
    },
    'Results go to standard output, all else to standard error: notes, progress, questions, errors. A result that was cut short says so there. DRV_FORMAT sets another format for good.',
    {
      shell: [
        'drv ls -l / --columns title,fileSize',
        'drv files list -a --format ids | wc -l',
        `drv files list --jq '.items[].title'`,
      ],
    },
  ],
}
