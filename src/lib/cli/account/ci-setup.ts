import {
  covers,
  scopeCatalog,
  type ScopeName,
  scopes as fullScopes,
  shortScope,
} from '#lib/api/description/scopes.js'
import {alignedLines} from '#lib/cli/terminal/layout.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'

/** The setup of a CI job or cron job that uses the service. */
export interface CiSetup {
  /** Address of the file service. */
  readonly service: string
  /** The page where users create personal access tokens. */
  readonly page: string
  /** Short names of the required scopes. */
  readonly scopes: readonly string[]
  /** Environment variables to set; the value of DRV_TOKEN is a description. */
  readonly variables: Readonly<Record<string, string>>
  /** An example command that these scopes allow. */
  readonly command: string
  /** A step of a workflow: YAML. */
  readonly step: string
  /** A crontab line that reads the token from a file. */
  readonly cron: string
}

/** The file of drv, and the folder of the Node.js that runs it. */
export interface Program {
  readonly file: string
  readonly nodeFolder: string
}

/** The setup for a CI step; `scopes` are full values. */
export function ciSetup(input: {
  readonly baseUrl: string
  readonly authUrl: string
  readonly scopes: readonly string[]
  /** The location of drv on this machine, for the crontab line. */
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

/** The setup as instructions. */
export function ciText({service, page, scopes, variables, command, step, cron}: CiSetup): string {
  return `CI setup for ${service}

1. Create a personal access token for this job only, at ${page}.
   Use a classic token with the fewest scopes that suffice:
${scopes.map(scopeLine).join('\n')}
   For other jobs, pass --scope. To see which scopes allow a method (any one of
   them is sufficient), run \`drv api describe files.insert\`.

2. Store the token as a secret of the CI system, not in a project file and not on a
   command line. Set these variables:
${alignedLines(Object.entries(variables))
  .map(line => `     ${line}`)
  .join('\n')}

3. Add a workflow step, for example \`${command}\`:

${indented(step)}

   For cron, store the token in a file that only you can read
   (\`chmod 600 ~/.drv-token\`), and add this line to the crontab:

${indented(cron)}

Exit code 4 means that the token was rejected; after exit code 8, try again later.
`
}

function scopeLine(name: string): string {
  const words = Object.hasOwn(scopeCatalog, name) ? scopeCatalog[name as ScopeName] : ''
  return `     ${name}  ${words}`.trimEnd()
}

/** A useful example command that the scopes allow. */
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

/** A crontab line. It names the file of drv and the folder of Node.js, because cron has a short PATH. */
function cronOf(
  command: string,
  variables: Readonly<Record<string, string>>,
  {file, nodeFolder}: Program,
): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`)
  const path = `PATH=${shellWord(nodeFolder)}:"$PATH"`
  const call = command.replace(/^drv\b/, () => shellWord(file))
  const words = [path, 'DRV_TOKEN="$(cat "$HOME/.drv-token")"', ...set, call]
  // In a crontab, an unescaped percent sign is a line break.
  return `15 6 * * * ${words.join(' ').replaceAll('%', '\\%')}`
}

/** Text as a YAML string, quoted as JSON where plain text could be read as another type. */
function yamlText(value: string): string {
  return /^[A-Za-z$][\w${}:/. -]*$/.test(value) ? value : JSON.stringify(value)
}

function indented(text: string): string {
  return text.replace(/^/gm, '     ')
}
