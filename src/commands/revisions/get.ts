import {textOf} from '#lib/api/validate.js'
import {optionalValue} from '#lib/cli/input/argv.js'
import {hasFrom} from '#lib/cli/input/items/several.js'
import {OperationCommand} from '#lib/cli/run/operation-base.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {
  checkDownload,
  downloadFlags,
  outputAt,
  printSaved,
  receive,
} from '#lib/cli/verbs/content/download.js'
import type {CallInput} from '#lib/client/client.js'

const Operation = operationCommand(
  'revisions.get',
  [
    ['Show the latest revision', 'revisions get /Reports/q3.pdf head'],
    [
      'Download the content of an old one',
      'revisions get /Reports/q3.pdf "$REVISION_ID" --output old.pdf',
    ],
  ],
  {
    more: 'With --output alone the content lands in the current directory under the name it was uploaded with; a file that is there already stays, unless --force is given. A file that you name is replaced.',
    flags: downloadFlags,
    async request(standard, {flags}) {
      checkDownload(flags, 'force', 'limit-rate', 'progress')
      return standard()
    },
    route(input, {flags}, {context}) {
      if (flags.output === undefined) return undefined
      const to = String(flags.output)
      const params = contentOf(input)
      const find = async () => {
        const facts = (await (await context.client()).call('revisions.get', input)) ?? {}
        return {facts, title: textOf(facts.originalFilename) ?? ''}
      }
      return {
        work: async () =>
          receive(context, {operation: 'files.get', params, to, flags, ...(await find())}),
        async preview() {
          const local = await outputAt(flags, async () => (await find()).title)
          return ['files.get', {params: {...params, alt: 'media'}}, local]
        },
      }
    },
    print: printSaved,
  },
)

export default class RevisionsGet extends Operation {
  /** `--output` may stand alone, which oclif does not know. */
  constructor(argv: string[], config: ConstructorParameters<typeof Operation>[1]) {
    super(
      optionalValue(argv, 'output', hasFrom(argv) ? 0 : 2, {
        ...OperationCommand.baseFlags,
        ...Operation.flags,
      }),
      config,
    )
  }
}

/** Content of a revision comes from the file (reference: protocols.md, section 3). */
function contentOf({params: {fileId = '', revisionId = ''}}: CallInput): CallInput['params'] {
  return {fileId, revisionId, supportsAllDrives: 'true'}
}
