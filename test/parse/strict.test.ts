import {describe, expect, test} from 'vitest'
import {checkFields, parseFields} from '#lib/api/fields.js'
import {operations, responseSchema} from '#lib/api/operations.js'
import {selectionExample} from '#lib/cli/input/unknown-names.js'
import {outcomeOf} from './command.js'

/** What a line is refused with; it would send nothing, being a dry run. */
async function refusal(command: string, ...args: string[]) {
  const {error, hint} = await outcomeOf(command, [...args, '--dry-run'])
  return [error, hint]
}

const body = (value: object) => ['--body', JSON.stringify(value)]

describe('refused before it is sent, with the nearest right word or all of few', () => {
  test.each<[command: string, args: string[], error: string, hint: RegExp]>([
    [
      'files insert',
      body({titel: 'x'}),
      '"titel" in --body is no field of a File.',
      /^Did you mean title\?$/,
    ],
    [
      'files insert',
      body({labels: {stared: true}}),
      '"labels.stared" in --body is no field of a File.',
      /^Did you mean starred\?$/,
    ],
    [
      'files insert',
      body({parents: [{ids: 'A'}]}),
      '"parents[0].ids" in --body is no field of a File.',
      /^Did you mean id\?$/,
    ],
    [
      'permissions insert',
      ['A', ...body({role: 'read', type: 'user', value: 'a@example.com'})],
      '"role" in --body must be one of owner, organizer, fileOrganizer, writer, reader, not "read".',
      /^Did you mean reader\?$/,
    ],
    [
      'permissions insert',
      ['A', '--role', 'reader', '--type', 'usr'],
      '--type must be one of user, group, domain, anyone, not "usr".',
      /^Did you mean user\?$/,
    ],
    [
      'files list',
      ['--corpora', 'alldrives'],
      '--corpora must be one of default, domain, drive, allDrives, not "alldrives".',
      /^Did you mean allDrives\?$/,
    ],
    [
      'files list',
      ['--order-by', 'folder,modified desc'],
      '--order-by has no value "modified".',
      /^Did you mean modifiedDate\?$/,
    ],
    [
      'files list',
      ['--order-by', 'titel desc'],
      '--order-by has no value "titel".',
      /^Did you mean title\?$/,
    ],
    [
      'files list',
      ['--fields', 'id,titel'],
      '--fields names "titel", which is not in the answer.',
      /^Did you mean title\?$/,
    ],
    [
      'files get',
      ['A', '--fields', 'labels(nonsense)'],
      '--fields names "nonsense", which is not in the answer.',
      /--fields 'id,title'/,
    ],
    [
      'files get',
      ['A', '--fields', 'id,,'],
      '--fields cannot be read at ",".',
      /--fields 'id,title'/,
    ],
  ])('%s %j', async (command, args, error, hint) => {
    const [told, advice] = await refusal(command, ...args)
    expect(told).toBe(error)
    expect(advice).toMatch(hint)
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
  'the help of $operationId shows an example of --fields that fits its answer',
  operation => {
    const selection = parseFields(selectionExample(operation))
    const {schemas} = operation.document
    expect(() => checkFields(selection, responseSchema(operation)!, schemas)).not.toThrow()
  },
)
