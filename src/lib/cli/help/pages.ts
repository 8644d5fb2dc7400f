import type {FormatName} from '#lib/cli/output/formats.js'
import {GLOBAL_FLAGS, variableOf} from '#lib/cli/output/global-flags.js'
import {exitCodes, type ExitName, exitWords} from '#lib/cli/terminal/exit-codes.js'
import type {LabeledText} from '#lib/cli/terminal/layout.js'

/**
 * A page of `drv help` about a topic of all commands, such as exit codes. Pages are data, so that the
 * terminal and the documents in `docs` show the same text.
 */
export interface HelpPage {
  /** The argument of `drv help`. */
  readonly name: string
  readonly title: string
  readonly blocks: readonly Block[]
}

export type Block =
  /** A paragraph. */
  | string
  /** Names and their descriptions. */
  | {readonly heading?: string; readonly entries: readonly LabeledText[]}
  /** Shell commands. */
  | {readonly shell: readonly string[]}

export const pathsPage: HelpPage = {
  name: 'paths',
  title: 'Naming files, folders and other items',
  blocks: [
    {
      heading: 'A FILE OR A FOLDER',
      entries: [
        {name: '/Reports/q3.pdf', words: 'Path in My Drive; / is its root folder.'},
        {name: 'drive:Finance/q3.pdf', words: 'Path in the shared drive Finance.'},
        {name: 'shared:/plan.txt', words: 'File that another user shared with you.'},
        {name: 'trash:/Reports/old.txt', words: 'File in the trash, by its former path.'},
        {name: "'/photos/*.jpg'", words: 'Pattern with *, ? and [a-z]; quote it.'},
        {name: 'https://…', words: 'Link copied from a browser.'},
        {name: '1a2B3c…', words: 'ID; use id:1a2B3c… if it looks like a path.'},
      ],
    },
    {
      heading: 'OTHER ITEMS',
      entries: [
        {name: 'shared drive', words: 'Name or ID.'},
        {name: 'permission', words: 'Email address, anyone, or ID.'},
        {name: 'revision', words: 'ID; head is the latest revision.'},
        {name: '-', words: 'Reads names or content from standard input.'},
      ],
    },
    'The service allows several files of the same name in a folder. If a path matches more than one, drv asks which one at a terminal; elsewhere it changes nothing, lists all of them with their IDs, and exits with code 12.',
    'Except in drv restore, only paths with the prefix "trash:" refer to files in the trash, so commands never change them by accident. Use id:ID for a file that has no path, such as one with a slash in its name. Quote paths with spaces.',
    {
      shell: [
        'drv stat /notes.txt',
        'drv mkdir -p /Reports/2026',
        'drv cp /notes.txt "/Reports/2026/Notes, May.txt"',
      ],
    },
  ],
}

/** A description of each format. */
const words: Readonly<Record<FormatName, string>> = {
  table: 'Aligned columns (default at a terminal).',
  tsv: 'Tab-separated values without a header (default in a pipe).',
  csv: 'Comma-separated values; the header has API field names.',
  json: 'One JSON document; commands of the API print the response unchanged.',
  ndjson: 'One line of JSON per record, printed as it arrives.',
  yaml: 'Like json, as YAML.',
  ids: 'One ID per line; other commands read them with -.',
}

export const formatsPage: HelpPage = {
  name: 'formats',
  title: 'Output formats',
  blocks: [
    {entries: Object.entries(words).map(([name, words]) => ({name: `--format ${name}`, words}))},
    {
      entries: [
        {name: '-J, --json', words: 'Same as --format json.'},
        {
          name: '--columns NAME,…',
          words: 'Columns to print, in this order; --columns help lists them.',
        },
        {
          name: '--fields TEXT',
          words: 'Fields to request from the service; fewer fields are faster.',
        },
        {
          name: '--jq EXPRESSION',
          words: 'Filter the JSON output with a jq expression; jq is built in.',
        },
        {name: '-q, --quiet', words: 'Print only results and errors.'},
      ],
    },
    'Results go to standard output. Notices, progress, prompts and errors go to standard error; if a list is incomplete, a notice says so. DRV_FORMAT sets the default format.',
    {
      shell: [
        'drv ls -l / --columns title,fileSize',
        'drv files list -a --format ids | wc -l',
        `drv files list --jq '.items[].title'`,
      ],
    },
  ],
}

export const scriptingPage: HelpPage = {
  name: 'scripting',
  title: 'drv in scripts, cron jobs and CI',
  blocks: [
    {
      entries: [
        {name: 'Sign in', words: 'Set DRV_TOKEN; see drv auth setup-ci.'},
        {name: 'Prompts', words: 'None without a terminal, in CI, or with --no-input.'},
        {name: 'Exit codes', words: 'See drv help exit-codes.'},
        {name: 'Results', words: 'Use --json, ndjson or ids; see drv help formats.'},
        {
          name: 'Errors',
          words: 'With --json, one JSON document on standard error, with "error" and "notices".',
        },
        {
          name: 'Dry run',
          words:
            '--dry-run lists the changes, with the columns action, input, bytes and reason; --json adds the field "request". Without --json, add --verbose or --curl to see the requests.',
        },
        {name: 'Plans', words: '--plan FILE writes the changes to a file for drv apply.'},
        {name: 'Confirmation', words: 'Commands that prompt for confirmation need --yes.'},
        {name: 'Read-only mode', words: '--read-only refuses every change.'},
        {name: 'Limits', words: 'Set DRV_POLICY to a file; see drv auth policy set.'},
        {
          name: 'Batches',
          words:
            'Pass several arguments, - for lines of standard input, or --from FILE for records.',
        },
        {
          name: 'Resume',
          words:
            'Run push, pull or a command with --checkpoint again; completed steps are skipped.',
        },
        {name: 'Timeout', words: '--timeout SECONDS stops a slow command.'},
        {name: 'Test', words: 'drv local run -- sh SCRIPT uses a temporary service.'},
        {name: 'Reference', words: 'drv help --json: commands, flags and codes as data.'},
      ],
    },
    'drv retries temporary failures at the rate that the service asks for, so a script needs no retry loop. Retries never duplicate a file.',
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

export const exitCodesPage: HelpPage = {
  name: 'exit-codes',
  title: 'Exit codes',
  blocks: [
    {
      entries: Object.entries(exitCodes).map(([name, code]) => ({
        name: String(code),
        words: exitWords[name as ExitName],
      })),
    },
    'A failed command exits with a code above 0. With --json, the JSON document on standard error has the name of the code in "code" and its number in "exit".',
    {
      shell: [
        'drv files get /notes.txt -o copy.txt || case $? in',
        '  5) echo "File not found." ;;',
        '  7|8) echo "Try again later." ;;',
        '  *) exit 1 ;;',
        'esac',
      ],
    },
  ],
}

/** One or more variables with the same meaning. */
interface Variables {
  readonly names: readonly string[]
  readonly words: string
}

/** The variables of global flags, from their table. */
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

/** Variables that select the service and the account. */
const SERVICE: readonly Variables[] = [
  {names: ['DRV_BASE_URL'], words: 'URL of the file service.'},
  {
    names: ['DRV_AUTH_URL'],
    words:
      'URL of the authorization service, or the issuer URL of a standard authorization server.',
  },
  {names: ['DRV_CLIENT_ID'], words: 'Client ID of the app.'},
  {
    names: ['DRV_CLIENT_SECRET'],
    words: 'Client secret, for sign-in, renewal and drv auth check.',
  },
  {names: ['DRV_TOKEN'], words: 'Token to use instead of the stored one; never stored.'},
  {
    names: ['DRV_TOKEN_COMMAND'],
    words: 'Shell command that prints a token; drv runs it again before the token expires.',
  },
  ...globalVariables(true),
]

/** Variables for every command; the flag of the same name overrides them. */
const EVERY_COMMAND = globalVariables(false)

/** Variables for this machine: folders, pager, browser, color, proxy. */
const MACHINE: readonly Variables[] = [
  {
    names: ['DRV_CONFIG_DIR', 'DRV_POLICY'],
    words: 'Configuration directory; policy file.',
  },
  {
    names: ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
    words: 'Base directories; drv uses a subdirectory drv in each.',
  },
  {names: ['DRV_PAGER', 'PAGER'], words: 'Pager for long results; empty for no pager.'},
  {names: ['BROWSER'], words: 'Browser that opens links.'},
  {names: ['CI'], words: 'Set by CI systems: no prompts, no pager.'},
  {names: ['NO_COLOR'], words: 'Never use color.'},
  {names: ['FORCE_COLOR', 'CLICOLOR_FORCE'], words: 'Use color in a pipe too.'},
  {names: ['HTTPS_PROXY', 'NO_PROXY'], words: 'Proxy for https; hosts to reach without it.'},
  {names: ['NODE_EXTRA_CA_CERTS'], words: 'File with additional CA certificates.'},
]

/** Variables that drv sets for commands that it runs. */
const COMMANDS: readonly Variables[] = [
  {
    names: ['DRV_CHANGE_KIND', 'DRV_CHANGE_PATH'],
    words: 'The change for which drv follow runs a command.',
  },
]

/** All environment variables that drv reads or sets, with descriptions. */
export const environmentVariables = [...SERVICE, ...EVERY_COMMAND, ...MACHINE, ...COMMANDS].flatMap(
  ({names, words}) => names.map(name => ({name, words})),
)

const entries = (all: readonly Variables[]) =>
  all.map(({names, words}) => ({name: names.join(', '), words}))

export const environmentPage: HelpPage = {
  name: 'environment',
  title: 'Environment variables',
  blocks: [
    {heading: 'SERVICE AND ACCOUNT', entries: entries(SERVICE)},
    {heading: 'EVERY COMMAND', entries: entries(EVERY_COMMAND)},
    {heading: 'THIS MACHINE', entries: entries(MACHINE)},
    'A flag overrides its variable; a variable overrides the profile. If a flag takes no value, set its variable to 1 or 0. Run `drv auth status` to see the settings in effect.',
  ],
}

/** All pages of `drv help`, in order of use. The help of a command documents that command. */
export const pages: readonly HelpPage[] = [
  pathsPage,
  formatsPage,
  scriptingPage,
  exitCodesPage,
  environmentPage,
]
