import type {CallInput} from '#lib/client/client.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {PlannedRequest} from '#lib/cli/guard/curl-text.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import type {Example} from '#lib/cli/run/operation-help.js'
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
  const options = {more, args: contentArg, flags: uploadFlags}
  return class extends operationCommand(id, examples, options) {
    protected override async planned(input: CallInput, parsed: Parsed): Promise<PlannedRequest> {
      const {path} = parsed.args
      if (path === undefined) return super.planned(input, parsed)
      const facts = await uploadFacts(String(path), input.body)
      const {typeBefore} = await import('#lib/transfer/upload.js')
      const asked = {operation: UPLOAD, params: input.params} as const
      // What the request says depends on the file where the content does not tell it.
      const mimeType = facts.mimeType ?? (await typeBefore(await this.context.client(), asked))
      const upload = {...facts, mimeType}
      return [UPLOAD, {...input, upload}, contentAt(path, upload)]
    }

    protected override goesAlone({args}: Parsed): boolean {
      return args.path !== undefined
    }

    protected override async send(input: CallInput, parsed: Parsed) {
      const {args, flags} = parsed
      if (args.path === undefined) return super.send(input, parsed)
      return sendContent(this.context, UPLOAD, input, String(args.path), flags)
    }
  }
}
