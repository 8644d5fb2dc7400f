import type {CallInput} from '../../client/client.js'
import {type Example, type Parsed, type Planned, operationCommand} from './operation.js'
import {progressFlag} from '../output/progress.js'
import {checkOneStdin, contentArg, contentAt, sendContent, uploadFacts} from '../transfer/upload.js'

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
  const options = {more, args: contentArg, flags: progressFlag}
  return class extends operationCommand(id, examples, options) {
    protected override async input(parsed: Parsed): Promise<CallInput> {
      checkOneStdin(parsed.flags.body, parsed.args.path)
      return super.input(parsed)
    }

    protected override async planned(input: CallInput, parsed: Parsed): Promise<Planned> {
      const {path} = parsed.args
      if (path === undefined) return super.planned(input, parsed)
      const upload = await uploadFacts(String(path), input.body)
      return [UPLOAD, {...input, upload}, contentAt(path, upload)]
    }

    protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
      const {args, flags} = parsed
      if (args.path === undefined) return super.perform(input, parsed)
      const path = String(args.path)
      const answer = await sendContent(this.context, UPLOAD, input, path, flags.progress)
      await this.printAnswer(answer, parsed)
    }
  }
}
