import {nonEmptyText} from '#lib/api/validate.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {downloadRoute} from '#lib/cli/verbs/content/content-routes.js'
import {checkDownload, downloadFlags, printSaved} from '#lib/cli/verbs/content/download.js'
import type {CallInput} from '#lib/client/client.js'

export default operationCommand(
  'revisions.get',
  [
    ['Show the latest revision', 'revisions get /Reports/q3.pdf head'],
    [
      'Download the content of an old revision',
      'revisions get /Reports/q3.pdf "$REVISION_ID" --output old.pdf',
    ],
  ],
  {
    more: '--output without PATH saves to the current folder under the name that the content was uploaded with, and does not replace an existing file without --force. --output PATH replaces an existing file.',
    flags: downloadFlags('the name that the content was uploaded with'),
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
          const revision = (await (await context.client()).call('revisions.get', input)) ?? {}
          return {facts: revision, title: nonEmptyText(revision.originalFilename) ?? ''}
        },
      })
    },
    print: printSaved,
  },
)

/** The parameters of `files.get` that download a revision's content (reference: protocols.md, section 3). */
function contentOf({params: {fileId = '', revisionId = ''}}: CallInput): CallInput['params'] {
  return {fileId, revisionId, supportsAllDrives: 'true'}
}
