import type {FormatName} from '#lib/cli/output/formats.js'
import {GLOBAL_FLAGS, variableOf} from '#lib/cli/output/global-flags.js'
import {exitCodes, type ExitName, exitWords} from '#lib/cli/terminal/exit-codes.js'
import type {Entry} from '#lib/cli/terminal/layout.js'

/**
 * A page of `drv help` about what all commands have in common, such as exit codes. Pages are data, so
 * that the terminal and the documents in `docs` show the same.
 */
export interface Page {
  /** What one types behind `drv help`. */
  readonly name: string
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Block =
  /** A paragraph. */
  | string
  /** What has a name, and what it is for. */
  | {readonly heading?: string; readonly entries: readonly Entry[]}
  /** Lines for a shell. */
  | {readonly shell: readonly string[]}

export const pathsPage: Page = {
  name: 'paths',
  title: 'How to name files and other things',
  blocks: [
    {
      heading: 'A FILE OR A FOLDER',
      entries: [
        {name: '/Reports/q3.pdf', words: 'Its path in My Drive; / is the top.'},
        {name: 'drive:Finance/q3.pdf', words: 'Its path in the shared drive Finance.'},
        {name: 'shared:/plan.txt', words: 'What somebody else shares with you.'},
        {name: 'trash:/Reports/old.txt', words: 'What is in the trash, by the path it had.'},
        {name: "'/photos/*.jpg'", words: 'All that match: *, ? and [a-z], in quotes.'},
        {name: 'https://…', words: 'A link that a browser shows for it.'},
        {name: '1a2B3c…', words: 'Its ID; id:1a2B3c… where that could be a path.'},
      ],
    },
    {
      heading: 'OTHER THINGS',
      entries: [
        {name: 'a shared drive', words: 'Its name or its ID.'},
        {name: 'a permission', words: 'An e-mail address, anyone, or its ID.'},
        {name: 'a revision', words: 'Its ID; head is the latest.'},
        {name: '-', words: 'Lines of standard input, or content from there.'},
      ],
    },
    'Names may be those of several things, for the service allows that. A name of two things is never guessed at: nothing is done, both are shown with their IDs, and the command ends with 12. At a terminal it asks which.',
    'Paths of things in the trash are found by trash: alone, so that nothing happens to them by accident. What no path leads to, such as a title with a slash in it, has the path id:ID. Put a path with blanks in quotes.',
    {
      shell: [
        'drv stat /notes.txt',
        'drv mkdir -p /Reports/2026',
        'drv cp /notes.txt "/Reports/2026/Notes, May.txt"',
      ],
    },
  ],
}

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

export const scriptingPage: Page = {
  name: 'scripting',
  title: 'drv in scripts, cron jobs and CI',
  blocks: [
    {
      entries: [
        {name: 'Sign in', words: 'Set DRV_TOKEN. drv auth setup-ci shows where to make one.'},
        {name: 'No person', words: 'Nothing asks without a terminal, in CI, or with --no-input.'},
        {name: 'Was it done?', words: 'By the exit code: drv help exit-codes.'},
        {name: 'Results', words: '--json, or --format ndjson and ids: drv help formats.'},
        {
          name: 'Errors',
          words:
            'With --json standard error is one JSON document with "error" and "notices", or empty.',
        },
        {
          name: 'See first',
          words: '--dry-run says what would change; with --verbose, or --curl, the requests too.',
        },
        {name: 'Dry runs', words: 'Columns action, input, bytes, reason; --json: request.'},
        {name: 'For good', words: 'What nothing brings back needs --yes.'},
        {name: 'Only look', words: '--read-only refuses whatever changes something.'},
        {name: 'Many', words: 'Several words, - for lines, --from FILE for records.'},
        {name: 'Again', words: 'push, pull and --checkpoint do only what is left.'},
        {name: 'In time', words: '--timeout SECONDS ends a command that takes longer.'},
        {name: 'Try it', words: 'drv local run -- sh SCRIPT, with a service of its own.'},
        {name: 'All there is', words: 'drv help --json: commands, flags, codes, as data.'},
      ],
    },
    'What fails for the moment is tried again by itself, in the pace that the service asks for: a script needs no loop for that. No retry makes a file twice.',
    {
      shell: [
        `drv files list --q "title contains 'draft'" -a --format ids |`,
        '  drv files trash -',
        'ID=$(drv mkdir -p /Invoices/2026 --format ids)',
        'drv push build/ "$ID" --quiet --timeout 3600',
      ],
    },
  ],
}

export const exitCodesPage: Page = {
  name: 'exit-codes',
  title: 'What a command ends with',
  blocks: [
    {
      entries: Object.entries(exitCodes).map(([name, code]) => ({
        name: String(code),
        words: exitWords[name as ExitName],
      })),
    },
    'What is printed as an error ends with a code above 0, and with --json it is one JSON document on standard error, whose "code" and "exit" say which.',
    {
      shell: [
        'drv files get /notes.txt -o copy.txt || case $? in',
        '  5) echo "There is no such file." ;;',
        '  7|8) echo "Try again later." ;;',
        '  *) exit 1 ;;',
        'esac',
      ],
    },
  ],
}

/** A variable, or several of one meaning. */
interface Variables {
  readonly names: readonly string[]
  readonly words: string
}

/** Those of global flags, from their table. */
function globalVariables(isOfService: boolean): readonly Variables[] {
  const all = Object.entries(GLOBAL_FLAGS)
  return all.flatMap(([name, {variable}]) => {
    if (!variable || 'beside' in variable) return []
    if (Boolean(variable.isOfService) !== isOfService) return []
    const others = all.filter(([, {variable: other}]) => {
      return other && 'beside' in other && other.beside === name
    })
    return [
      {names: [name, ...others.map(([other]) => other)].map(variableOf), words: variable.words},
    ]
  })
}

/** Which service, and who is there. */
const SERVICE: readonly Variables[] = [
  {names: ['DRV_BASE_URL'], words: 'Address of the file service.'},
  {names: ['DRV_AUTH_URL'], words: 'Address of the authorization service.'},
  {names: ['DRV_CLIENT_ID'], words: "The app's client ID there."},
  {
    names: ['DRV_CLIENT_SECRET'],
    words: 'Its secret, for auth login --web and auth check.',
  },
  {names: ['DRV_TOKEN'], words: 'A token in place of the stored one; it is never stored.'},
  {
    names: ['DRV_TOKEN_COMMAND'],
    words: 'A shell command that prints one; run again before its end.',
  },
  ...globalVariables(true),
]

/** What holds for every command; the flag of that name wins. */
const EVERY_COMMAND = globalVariables(false)

/** Where things lie, and what shows them. */
const MACHINE: readonly Variables[] = [
  {
    names: ['DRV_CONFIG_DIR'],
    words: 'Where the configuration is, instead of $XDG_CONFIG_HOME/drv.',
  },
  {
    names: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
    words: 'Where drv keeps what is its own, in a folder drv each.',
  },
  {names: ['DRV_PAGER', 'PAGER'], words: 'What shows long results; empty for nothing.'},
  {names: ['BROWSER'], words: 'What opens addresses.'},
  {names: ['CI'], words: 'Set by CI systems: no questions, no pager.'},
  {names: ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE'], words: 'No colours; colours in a pipe.'},
  {names: ['HTTPS_PROXY', 'NO_PROXY'], words: "Your company's proxy; hosts that need none."},
  {names: ['NODE_EXTRA_CA_CERTS'], words: "A file with your company's certificates."},
]

/** All variables that drv goes by, each with what it means. */
export const environmentVariables = [...SERVICE, ...EVERY_COMMAND, ...MACHINE].flatMap(
  ({names, words}) => names.map(name => ({name, words})),
)

const entries = (all: readonly Variables[]) =>
  all.map(({names, words}) => ({name: names.join(', '), words}))

export const environmentPage: Page = {
  name: 'environment',
  title: 'Variables that drv goes by',
  blocks: [
    {heading: 'WHICH SERVICE', entries: entries(SERVICE)},
    {heading: 'EVERY COMMAND', entries: entries(EVERY_COMMAND)},
    {heading: 'THIS MACHINE', entries: entries(MACHINE)},
    'A flag wins over its variable, and a variable over the profile. A variable of a flag without a value is on with 1 and off with 0. `drv auth status` shows which count.',
  ],
}

/**
 * All pages of `drv help`, in the order in which one needs them. What belongs to a single command is
 * told by that command.
 */
export const pages: readonly Page[] = [
  pathsPage,
  formatsPage,
  scriptingPage,
  exitCodesPage,
  environmentPage,
]
