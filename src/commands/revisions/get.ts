import {textOf} from '#lib/api/validate.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {downloadRoute} from '#lib/cli/verbs/content/content-routes.js'
import {checkDownload, downloadFlags, printSaved} from '#lib/cli/verbs/content/download.js'
import type {CallInput} from '#lib/client/client.js'

export default operationCommand(
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
    bareFlag: 'output',
    async request(standard, {flags}) {
      checkDownload(flags, 'force', 'limit-rate', 'progress')
      return standard()
    },
    route(input, {flags}, {context}) {
      return downloadRoute(context, flags, {
        operation: 'files.get',
        params: contentOf(input),
        async find() {
          const facts = (await (await context.client()).call('revisions.get', input)) ?? {}
          return {facts, title: textOf(facts.originalFilename) ?? ''}
        },
      })
    },
    print: printSaved,
  },
)

/** Content of a revision comes from the file (reference: protocols.md, section 3). */
function contentOf({params: {fileId = '', revisionId = ''}}: CallInput): CallInput['params'] {
  return {fileId, revisionId, supportsAllDrives: 'true'}
}
