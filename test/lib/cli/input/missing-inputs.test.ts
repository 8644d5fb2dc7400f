import {Args, Flags} from '@oclif/core'
import {describe, expect, test} from 'vitest'
import {operation} from '#lib/api/operations.js'
import {withAnswers} from '#lib/cli/input/ask-missing.js'
import {missingFields, missingInputs} from '#lib/cli/input/missing-inputs.js'

describe('what is missing', () => {
  const inputs = {
    args: {
      file_id: Args.string({
        required: true,
        description: 'ID of the file (ID or path). Accepts several.',
      }),
      permission_id: Args.string({required: true}),
      folder_id: Args.string({required: true}),
      shell: Args.string({required: true, options: ['bash', 'zsh']}),
      other: Args.string(),
    },
    flags: {'mime-type': Flags.string({required: true, summary: 'Type.'}), loose: Flags.string()},
  }

  test('has the kind and the prompt of its input', () =>
    expect(missingInputs(inputs, {args: {}, flags: {}})).toMatchObject([
      {in: 'args', name: 'file_id', kind: 'file', message: 'File'},
      {name: 'permission_id', kind: 'permission'},
      {name: 'folder_id', kind: 'folder'},
      {name: 'shell', options: ['bash', 'zsh']},
      {in: 'flags', name: 'mime-type', kind: 'text', message: 'Type'},
    ]))

  test('does not include inputs with a value', () => {
    const args = {file_id: 'a', permission_id: 'b', folder_id: 'c', shell: 'zsh'}
    expect(missingInputs(inputs, {args, flags: {'mime-type': 'x'}})).toEqual([])
  })

  test('includes required body fields', () => {
    expect(missingFields(operation('permissions.insert'), {type: 'anyone'}, [])).toMatchObject([
      {
        in: 'flags',
        name: 'role',
        options: ['owner', 'organizer', 'fileOrganizer', 'writer', 'reader'],
      },
    ])
    const parents = operation('parents.insert')
    expect(missingFields(parents, {}, [])).toMatchObject([{name: 'id', kind: 'file'}])
    expect(missingFields(parents, {}, ['id'])).toEqual([])
  })
})

test.each<[string[], string[], string[], string[]]>([
  [['a', '-q'], ['--role=x'], ['b'], ['a', '-q', 'b', '--role=x']],
  [['a', '--', 'b'], ['--role=x'], ['c'], ['a', '--role=x', '--', 'b', 'c']],
  [['a'], ['--role=x'], ['-b'], ['a', '--role=x', '--', '-b']],
])('%j with %j and %j is %j', (words, flags, args, all) =>
  expect(withAnswers(words, flags, args)).toEqual(all),
)
