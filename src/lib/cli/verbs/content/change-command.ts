import {operationCommand} from '#lib/cli/run/operation-command.js'
import type {Example} from '#lib/cli/run/operation-help.js'
import type {OperationOptions} from '#lib/cli/run/verb-description.js'
import {contentArg, contentAt, sendContent, uploadFacts, uploadFlags} from './upload.js'

/** What content goes up as: of the two operations that change a file it alone has an upload path. */
const UPLOAD = 'files.update'

/**
 * The command of an operation that changes a file: its metadata, and its content where a path is
 * given (spec: files-api.md, Endpoints).
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
        const asked = {operation: UPLOAD, params: input.params} as const
        // What the request says depends on the file where the content does not tell it.
        const mimeType = facts.mimeType ?? (await typeBefore(await context.client(), asked))
        const upload = {...facts, mimeType}
        return [UPLOAD, {...input, upload}, contentAt(path, upload)]
      },
    }
  }
  return operationCommand(id, examples, {more, args: contentArg, flags: uploadFlags, route})
}
