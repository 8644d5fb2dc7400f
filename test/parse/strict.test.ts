import {describe, expect, test} from 'vitest'
import {checkFields, parseFields} from '#lib/api/fields.js'
import {operations, responseSchema} from '#lib/api/operations.js'
import {selectionExample} from '#lib/cli/input/unknown-names.js'
import {outcomeOf} from './command.js'

/** The error and the hint of a command line, run with `--dry-run`. */
async function refusal(command: string, ...args: string[]) {
  const {error, hint} = await outcomeOf(command, [...args, '--dry-run'])
  return [error, hint]
}

const body = (value: object) => ['--body', JSON.stringify(value)]

describe('rejected before sending, with a suggestion', () => {
  test.each<[command: string, args: string[], hint: RegExp]>([
    ['files insert', body({titel: 'x'}), /^Did you mean "title"\?$/],
    ['files insert', body({labels: {stared: true}}), /^Did you mean "starred"\?$/],
    ['files insert', body({parents: [{ids: 'A'}]}), /^Did you mean "id"\?$/],
    [
      'permissions insert',
      ['A', ...body({role: 'read', type: 'user', value: 'a@example.com'})],
      /^Did you mean "reader"\?$/,
    ],
    ['permissions insert', ['A', '--role', 'reader', '--type', 'usr'], /^Did you mean "user"\?$/],
    ['files list', ['--corpora', 'alldrives'], /^Did you mean "allDrives"\?$/],
    ['files list', ['--order-by', 'folder,modified desc'], /^Did you mean "modifiedDate"\?$/],
    ['files list', ['--order-by', 'titel desc'], /^Did you mean "title"\?$/],
    ['files list', ['--fields', 'id,titel'], /^Did you mean "title"\?$/],
    ['files get', ['A', '--fields', 'labels(nonsense)'], /--fields 'id,title'/],
    ['files get', ['A', '--fields', 'id,,'], /--fields 'id,title'/],
  ])('%s %j', async (command, args, expected) => {
    const [error, hint] = await refusal(command, ...args)
    expect(error).toRead()
    expect(hint).toMatch(expected)
  })

  test.each<[command: string, args: string[]]>([
    ['files insert', body({title: 'x', labels: {starred: true}, properties: [{key: 'k'}]})],
    ['files insert', body({id: 'A', kind: 'drive#file', ownerNames: ['who']})],
    ['files list', ['--order-by', 'folder, title_natural DESC,modifiedDate desc']],
    ['files list', ['--fields', '*']],
    ['files list', ['--fields', 'items/labels/trashed,nextPageToken']],
    ['files get', ['A', '--fields', 'exportLinks(anything),id']],
  ])('not %s %j', async (command, args) => {
    expect(await refusal(command, ...args)).toEqual([undefined, undefined])
  })
})

test.each(operations.filter(operation => operation.response))(
  'the help of $operationId has a valid example of --fields',
  operation => {
    const selection = parseFields(selectionExample(operation))
    const {schemas} = operation.document
    expect(() => checkFields(selection, responseSchema(operation)!, schemas)).not.toThrow()
  },
)
