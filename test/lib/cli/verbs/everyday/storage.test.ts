import {expect, test} from 'vitest'
import {storageOf} from '#lib/cli/verbs/everyday/usage.js'

test.each([
  [
    {
      quotaType: 'LIMITED',
      quotaBytesTotal: '1000',
      quotaBytesUsed: '1',
      quotaBytesUsedInTrash: '0',
    },
    {total: 1000, used: 1, available: 999, percent: 1, trash: 0},
  ],
  [
    {quotaBytesTotal: '1000', quotaBytesUsed: '1', quotaBytesUsedAggregate: '1200'},
    {total: 1000, used: 1200, available: 0, percent: 120, trash: undefined},
  ],
  [
    {quotaType: 'UNLIMITED', quotaBytesTotal: '0', quotaBytesUsed: '5'},
    {total: undefined, used: 5, available: undefined, percent: undefined},
  ],
  [{}, {total: undefined, used: undefined, available: undefined, percent: undefined}],
])('%j is %j', (about, storage) => expect(storageOf(about)).toMatchObject(storage))
