import type {OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {quoted} from '#lib/cli/terminal/read-argv.js'
import type {PlannedInput, PreparedRequest} from '#lib/client/client.js'
import {safeJson} from '#lib/platform/sanitize.js'

/** Where the content of a request is on this machine; the path `-` is standard input. */
export interface LocalEnds {
  readonly content?: {readonly path: string; readonly mimeType?: string}
  /** A file that is there stays unless it may be replaced. */
  readonly output?: {readonly path: string; readonly overwrite: boolean}
}

/** A request as `--dry-run` and `--curl` show it, with where its content is on this machine. */
export type PlannedRequest = readonly [id: OperationId, input: PlannedInput, local?: LocalEnds]

/** The lines of some requests; says where the service is gone before anybody can run them. */
export async function curlText(
  context: Context,
  requests: readonly PlannedRequest[],
): Promise<string> {
  const client = await context.client()
  if ((await context.settings()).embedded) {
    context.note(
      'Note: the service inside drv ends with this command: start `drv local serve` and set DRV_BASE_URL to its address.',
    )
  }
  const lines = requests.map(([id, input, local]) =>
    curlLine(client.prepare(id, {...input, isWhole: true}), local),
  )
  return lines.map(line => `${line}\n`).join('')
}

/**
 * A request as a line that a POSIX shell can run as it is, with the token in `$DRV_TOKEN`. Content
 * goes up in one request, however large it is.
 */
export function curlLine(request: PreparedRequest, {content, output}: LocalEnds = {}): string {
  const {method, url, headers, body} = request
  const isMultipart = content !== undefined && body !== undefined && Object.keys(body).length > 0
  const own = content
    ? uploadWords(content, isMultipart ? body : undefined)
    : bodyWords(body, method)
  return [
    'curl -sS --fail-with-body',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $DRV_TOKEN"',
    ...Object.entries(headers)
      // Only curl knows how long it gets.
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...own,
    ...(output ? [`-o ${quoted(output.path)}`, ...(output.overwrite ? [] : ['--no-clobber'])] : []),
    // Brackets mean something to it, in addresses and in names of files.
    '--globoff',
    quoted(url),
  ].join(' ')
}

/** A body of JSON; without one the service is told that nothing comes. */
function bodyWords(body: PreparedRequest['body'], method: string): string[] {
  if (body) return [`--data-raw ${quoted(safeJson(body))}`]
  return method === 'GET' || method === 'DELETE' ? [] : [`-H 'content-length: 0'`]
}

/** The bytes alone, or behind what is to be known of them (reference: protocols.md, section 1). */
function uploadWords(
  {path, mimeType = 'application/octet-stream'}: NonNullable<LocalEnds['content']>,
  metadata: PreparedRequest['body'],
): string[] {
  if (!metadata) return [`-T ${quoted(path)}`]
  return [
    `-F ${quoted(`metadata=${part(safeJson(metadata))};type=application/json`)}`,
    `-F ${quoted(`content=@${part(path)};type=${mimeType}`)}`,
  ]
}

/** A text of which curl takes no sign for its own. */
function part(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
