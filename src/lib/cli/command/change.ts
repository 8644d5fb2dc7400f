import type {CallInput} from '../../client/client.js'
import {type OperationOptions, type Parsed, operationCommand} from './operation.js'
import {progressFlag} from '../output/progress.js'
import {checkOneStdin, contentArg, uploadSourceOf, sendContent, typeIn} from '../transfer/upload.js'

/** What content goes up as: of the two operations that change a file it alone has an upload path. */
const UPLOAD = 'files.update'

/**
 * The command of an operation that changes a file: its metadata, and its content where a path is
 * given (spec: files-api.md, Endpoints).
 */
export function changeCommand(
  id: 'files.patch' | typeof UPLOAD,
  options: Pick<OperationOptions, 'examples' | 'more'>,
) {
  const more = {args: contentArg, flags: progressFlag}
  return class extends operationCommand(id, {...options, ...more}) {
    protected override async input(parsed: Parsed): Promise<CallInput> {
      const {args, flags} = parsed
      checkOneStdin(flags.body, args.path)
      const input = await super.input(parsed)
      if (args.path === undefined) return input
      const upload = await uploadSourceOf(
        String(args.path),
        typeIn(input.body),
        this.context.io.stdin,
      )
      return {...input, upload}
    }

    protected override planned(input: CallInput, parsed: Parsed) {
      return input.upload ? ([UPLOAD, input] as const) : super.planned(input, parsed)
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
