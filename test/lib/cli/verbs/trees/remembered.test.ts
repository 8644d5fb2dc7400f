import {expect, test} from 'vitest'
import {notRememberedError} from '#lib/cli/verbs/trees/remembered.js'

test.each([
  ['no directory for state files', {}],
  ['an unknown account', {state: '/home/ada/.local/state/drv'}],
])('the error for a tree that cannot be remembered: %s', (_, directories) => {
  const {message, hint, exit} = notRememberedError({directories}, 'Cannot follow /Reports')
  expect(exit).toBe('failed')
  expect(`${message}\n${hint}`).toRead()
})
