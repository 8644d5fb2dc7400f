import type {OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {shellQuoted} from '#lib/cli/terminal/read-argv.js'
import type {PlannedInput, PreparedRequest} from '#lib/client/client.js'
import {safeJson} from '#lib/platform/sanitize.js'

/** The local files of a request; the path `-` is standard input. */
export interface LocalFiles {
  readonly content?: {
    readonly path: string
    readonly mimeType?: string
    /** What the scan of a tree knows about it; size in bytes, modification time in milliseconds since 1970. */
    readonly scanned?: {readonly root?: string; readonly size: number; readonly modified: number}
  }
  /** An existing file is kept unless `overwrite`. */
  readonly output?: LocalTarget
}

/** The local file that a download writes, and its content as far as known. */
export interface LocalTarget {
  readonly path: string
  readonly overwrite: boolean
  /** In bytes. */
  readonly size?: number
  /** In hexadecimal. */
  readonly md5?: string
  /** Modification time to set, in milliseconds since 1970. */
  readonly modified?: number
  /** The existing file. */
  readonly before?: {readonly size: number; readonly modified: number}
}

/** A request as `--dry-run` and `--curl` show it, with its local files. */
export type PlannedRequest = readonly [id: OperationId, input: PlannedInput, local?: LocalFiles]

/** The curl lines of requests; prints a notice if the service ends with the command. */
export async function curlText(
  context: Context,
  requests: readonly PlannedRequest[],
): Promise<string> {
  const client = await context.client()
  if ((await context.settings()).embedded) {
    context.note(
      'The local service stops when this command ends. To use the curl commands, start `drv local serve` and set DRV_BASE_URL to its URL.',
    )
  }
  const lines = requests.map(([id, input, local]) =>
    curlLine(client.prepare(id, {...input, isWhole: true}), local),
  )
  return lines.map(line => `${line}\n`).join('')
}

/**
 * A request as a curl command for a POSIX shell, with the token in `$DRV_TOKEN`. Uploads content of any
 * size in one request.
 */
export function curlLine(request: PreparedRequest, {content, output}: LocalFiles = {}): string {
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
      // curl computes the length itself.
      .filter(([name]) => name !== 'content-length')
      .map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...own,
    ...(output
      ? [`-o ${shellQuoted(output.path)}`, ...(output.overwrite ? [] : ['--no-clobber'])]
      : []),
    // Otherwise curl expands brackets in addresses and file names.
    '--globoff',
    shellQuoted(url),
  ].join(' ')
}

/** The JSON body; without one, a content length of 0. */
function bodyWords(body: PreparedRequest['body'], method: string): string[] {
  if (body) return [`--data-raw ${shellQuoted(safeJson(body))}`]
  return method === 'GET' || method === 'DELETE' ? [] : [`-H 'content-length: 0'`]
}

/** The content, or metadata and content as multipart (reference: protocols.md, section 1). */
function uploadWords(
  {path, mimeType = 'application/octet-stream'}: NonNullable<LocalFiles['content']>,
  metadata: PreparedRequest['body'],
): string[] {
  if (!metadata) return [`-T ${shellQuoted(path)}`]
  return [
    `-F ${shellQuoted(`metadata=${part(safeJson(metadata))};type=application/json`)}`,
    `-F ${shellQuoted(`content=@${part(path)};type=${mimeType}`)}`,
  ]
}

/** Quotes a text so that curl takes every character literally. */
function part(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
