import {
  covers,
  scopeCatalog,
  type ScopeName,
  scopes as fullScopes,
  shortScope,
} from '#lib/api/description/scopes.js'
import {alignedLines} from '#lib/cli/terminal/layout.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'

/** What somebody needs to know who has a machine work with the service. */
export interface CiSetup {
  /** Address of the file service. */
  readonly service: string
  /** Where a person makes the token. */
  readonly page: string
  /** Short names of what the token is to be allowed. */
  readonly scopes: readonly string[]
  /** What to set, and to what; the token itself comes from elsewhere. */
  readonly variables: Readonly<Record<string, string>>
  /** What the step may do with these scopes, as an example. */
  readonly command: string
  /** A step of a workflow: YAML. */
  readonly step: string
  /** A line of a crontab; the token lies in a file of its own. */
  readonly cron: string
}

/** The file that runs drv, and the folder of the node that it runs with. */
export interface Program {
  readonly file: string
  readonly nodeFolder: string
}

/** What a CI step needs; `scopes` are full values. */
export function ciSetup(input: {
  readonly baseUrl: string
  readonly authUrl: string
  readonly scopes: readonly string[]
  /** Where drv is on this machine, which a crontab has to say. */
  readonly program: Program
}): CiSetup {
  const {baseUrl, authUrl, scopes, program} = input
  const known = {DRV_BASE_URL: baseUrl, DRV_NO_INPUT: '1'}
  const command = commandFor(scopes)
  return {
    service: baseUrl,
    page: `${authUrl}/settings/tokens`,
    scopes: scopes.map(shortScope),
    variables: {DRV_TOKEN: 'a personal access token, from a secret of the CI system', ...known},
    command,
    step: stepOf(command, {DRV_TOKEN: '${{ secrets.DRV_TOKEN }}', ...known}),
    cron: cronOf(command, known, program),
  }
}

/** The same for people. */
export function ciText({service, page, scopes, variables, command, step, cron}: CiSetup): string {
  return `What a CI step needs to work with ${service}

1. Make a personal access token for this job alone at ${page}:
   a classic one, which has scopes, with the least that do:
${scopes.map(scopeLine).join('\n')}
   For a job that does something else give --scope; \`drv api describe files.insert\`
   shows the scopes of an operation, of which any one is enough.

2. Keep the token as a secret of the CI system: in no file of the project, and in no
   command line. Set these variables:
${alignedLines(Object.entries(variables))
  .map(line => `     ${line}`)
  .join('\n')}

3. A step of a workflow, for example \`${command}\`:

${indented(step)}

   The same in a crontab, with the token in a file that only you can read
   (\`chmod 600 ~/.drv-token\`):

${indented(cron)}

A token that is refused ends a command with exit code 4; after 8 trying again may help.
`
}

function scopeLine(name: string): string {
  const words = Object.hasOwn(scopeCatalog, name) ? scopeCatalog[name as ScopeName] : ''
  return `     ${name}  ${words}`.trimEnd()
}

/** Something useful that the scopes allow. */
function commandFor(scopes: readonly string[]): string {
  if (reaches(scopes, 'drive.file')) return 'drv files insert report.pdf'
  return reaches(scopes, 'drive.readonly') ? 'drv pull /Reports/ reports' : 'drv files list'
}

function reaches(scopes: readonly string[], name: ScopeName): boolean {
  return covers(scopes, fullScopes(name))
}

function stepOf(command: string, variables: Readonly<Record<string, string>>): string {
  const set = Object.entries(variables).map(([name, value]) => `    ${name}: ${yamlText(value)}`)
  return [`- run: ${command}`, '  env:', ...set].join('\n')
}

/** Cron looks for programs in few folders, so the line names the file of drv and the folder of node. */
function cronOf(
  command: string,
  variables: Readonly<Record<string, string>>,
  {file, nodeFolder}: Program,
): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`)
  const path = `PATH=${shellWord(nodeFolder)}:"$PATH"`
  const call = command.replace(/^drv\b/, () => shellWord(file))
  const words = [path, 'DRV_TOKEN="$(cat "$HOME/.drv-token")"', ...set, call]
  // To cron a percent sign is a line break.
  return `15 6 * * * ${words.join(' ').replaceAll('%', '\\%')}`
}

/** A digit alone would be a number; JSON's texts are YAML's. */
function yamlText(value: string): string {
  return /^[A-Za-z$][\w${}:/. -]*$/.test(value) ? value : JSON.stringify(value)
}

function indented(text: string): string {
  return text.replace(/^/gm, '     ')
}
