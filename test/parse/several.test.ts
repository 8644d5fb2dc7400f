import {expect, test} from 'vitest'
import {operations, pathParameters} from '#lib/api/operations.js'
import {argumentName} from '#lib/cli/input/parameter-flags.js'
import {kebabCase} from '#lib/platform/values.js'
import {loadCommand} from './command.js'

/** Commands whose last argument accepts a single value: one file and one content. */
const ONE = ['files patch', 'files update']
/** Lists, and commands without an item. */
const NONE = [
  'about get',
  'apps list',
  'changes get-start-page-token',
  'changes list',
  'changes watch',
  'channels stop',
  'children list',
  'drives insert',
  'drives list',
  'files empty-trash',
  'files generate-ids',
  'files list',
  'files list-labels',
  'parents list',
  'permissions list',
  'properties list',
  'revisions list',
]

test.each(operations.map(described => [described.operationId, described] as const))(
  '%s accepts several items, and records by --from',
  async (id, described) => {
    const [resource, verb] = id.split('.') as [string, string]
    const name = `${resource} ${kebabCase(verb)}`
    const {args = {}, flags = {}} = await loadCommand(name)
    const several = Object.keys(args).filter(argument => args[argument]!.multiple)
    const last = pathParameters(described).at(-1)
    const isOfOne = ONE.includes(name) || NONE.includes(name)
    if (name === 'files insert') expect(several).toEqual(['path'])
    else expect(several).toEqual(isOfOne ? [] : [argumentName(last!)])
    for (const flag of ['from', 'checkpoint', 'concurrency', 'fail-fast']) {
      expect(flags).toHaveProperty([flag])
    }
  },
)
