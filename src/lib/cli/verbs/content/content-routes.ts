import type {OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import type {Route} from '#lib/cli/run/plan.js'
import type {Example, OperationOptions} from '#lib/cli/run/verb-description.js'
import type {CallInput} from '#lib/client/client.js'
import {outputAt, type Receipt, receive} from './download.js'
import {contentArg, contentAt, sendContent, uploadFacts, uploadFlags} from './upload.js'

interface Download extends Pick<Receipt, 'operation' | 'params'> {
  /** Whether the operation always returns content, so that `alt=media` is not needed. */
  readonly isBytes?: boolean
  /** Returns the title and metadata of the content, given the value of `--output`. */
  readonly find: (to: string) => Promise<Pick<Receipt, 'title' | 'facts'>>
}

/** The route that downloads content to `--output`; `undefined` without that flag. */
export function downloadRoute(
  context: Context,
  flags: FlagValues,
  {operation, params, isBytes, find}: Download,
): Route | undefined {
  if (flags.output === undefined) return undefined
  const to = String(flags.output)
  return {
    work: async () => receive(context, {operation, params, to, flags, ...(await find(to))}),
    async preview() {
      const local = await outputAt(flags, async () => (await find(to)).title)
      return [operation, {params: isBytes ? params : {...params, alt: 'media'}}, local]
    },
  }
}

/** The request that uploads the content of a local path. */
export async function uploadPreview(
  operation: OperationId,
  input: CallInput,
  path: string,
): Promise<PlannedRequest> {
  const upload = await uploadFacts(path, input.body)
  return [operation, {...input, upload}, contentAt(path, upload)]
}

/** The operation for new content: `files.patch` has no upload path. */
const UPLOAD = 'files.update'

/**
 * The command of an operation that changes the metadata of a file, and its content if the argument PATH is
 * present (spec: files-api.md, Endpoints).
 */
export function changeCommand(
  id: 'files.patch' | typeof UPLOAD,
  examples: readonly Example[],
  more: string,
) {
  const route: OperationOptions['route'] = (input, {args: {path}, flags}, {context}) => {
    if (path === undefined) return undefined
    return {
      work: () => sendContent(context, UPLOAD, input, String(path), flags),
      async preview() {
        const facts = await uploadFacts(String(path), input.body)
        const {typeBefore} = await import('#lib/transfer/upload.js')
        const request = {operation: UPLOAD, params: input.params} as const
        // If the name does not determine the media type, the file keeps its current one.
        const mimeType = facts.mimeType ?? (await typeBefore(await context.client(), request))
        const upload = {...facts, mimeType}
        return [UPLOAD, {...input, upload}, contentAt(path, upload)]
      },
    }
  }
  const options = {more, several: 'file_id', args: contentArg, flags: uploadFlags, route}
  return operationCommand(id, examples, options)
}
