import {expect, test} from 'vitest'
import {
  changeVariables,
  changeWord,
  commandGroups,
  commandWords,
} from '#lib/cli/verbs/follow/run-command.js'
import type {FollowedChange} from '#lib/follow/interpret.js'

const change = (path: string | undefined, more: Partial<FollowedChange> = {}): FollowedChange => ({
  ...{id: '7', time: '2026-01-01T00:00:00Z', kinds: ['moved', 'renamed'], fileId: 'ID', title: 't'},
  ...(path !== undefined && {path}),
  ...more,
})

test.each([
  [change('/a b.txt'), '/a b.txt'],
  [change(undefined), 'ID'],
  [change(undefined, {fileId: '-x'}), 'id:-x'],
  [change('/a\0b'), 'ID'],
])('the word for a change', (one, word) => {
  expect(changeWord(one)).toBe(word)
})

test.each([
  [
    ['echo', '{}'],
    ['echo', '/a', '/b'],
  ],
  [
    ['echo', '--path={}', 'x'],
    ['echo', '--path=/a /b', 'x'],
  ],
  [['echo'], ['echo']],
])('the words of %j', (command, words) => {
  expect(commandWords(command, [change('/a'), change('/b')])).toEqual(words)
})

test('special patterns of replacements are taken literally', () => {
  expect(commandWords(['x{}'], [change('/$&$1')])).toEqual(['x/$&$1'])
})

test('a command line has an end', () => {
  const changes = Array.from({length: 3000}, (_, index) => change(`/${'x'.repeat(40)}${index}`))
  const groups = commandGroups(changes)
  expect(groups.length).toBeGreaterThan(1)
  expect(groups.flat()).toEqual(changes)
})

test('a change is in variables, several are a number', () => {
  expect(changeVariables([change('/b', {from: '/a', size: 3, who: 'ada', title: 'a\0b'})])).toEqual(
    {
      DRV_CHANGE_COUNT: '1',
      DRV_CHANGE_TIME: '2026-01-01T00:00:00Z',
      DRV_CHANGE_KIND: 'moved,renamed',
      DRV_CHANGE_PATH: '/b',
      DRV_CHANGE_FROM: '/a',
      DRV_CHANGE_WHO: 'ada',
      DRV_CHANGE_SIZE: '3',
      DRV_CHANGE_FILE_ID: 'ID',
      DRV_CHANGE_TITLE: 'a�b',
      DRV_CHANGE_MIME_TYPE: '',
      DRV_CHANGE_ID: '7',
    },
  )
  expect(changeVariables([change('/a'), change('/b')])).toEqual({DRV_CHANGE_COUNT: '2'})
})
