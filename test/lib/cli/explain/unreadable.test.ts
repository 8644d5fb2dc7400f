import {expect, test} from 'vitest'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

test.each([
  ['EACCES', UsageError],
  ['EROFS', UsageError],
  ['ENOSPC', CommandError],
  ['EDQUOT', CommandError],
  ['EIO', CommandError],
  ['EMFILE', CommandError],
])('a file that cannot be written because of %s', (code, kind) => {
  const error = unwritable('a.plan', Object.assign(new Error(`${code}: failed, write`), {code}))
  expect(error).toBeInstanceOf(kind)
  expect(error).toRead()
})
