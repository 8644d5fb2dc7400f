import {expect, test} from 'vitest'
import {fileStateOf, isSameContent} from '#lib/cli/verbs/content/edit.js'
import {editorFor} from '#lib/cli/verbs/content/editor.js'

test.each([
  [{VISUAL: 'code -w', EDITOR: 'vi'}, 'linux', false, 'code -w'],
  [{VISUAL: ' ', EDITOR: 'nano'}, 'linux', true, 'nano'],
  [{}, 'linux', true, 'vi'],
  [{}, 'win32', true, 'notepad'],
] as const)('%j on %s (terminal: %s)', (environment, platform, isInteractive, editor) => {
  expect(editorFor({environment, platform, isInteractive})).toBe(editor)
})

test('outside a terminal, an editor must be set', () => {
  expect(() => editorFor({environment: {}, platform: 'linux', isInteractive: false})).toThrow(
    'EDITOR',
  )
})

test.each([
  [
    {md5Checksum: 'a', headRevisionId: '1', etag: 'x'},
    {md5Checksum: 'a', headRevisionId: '1'},
    true,
  ],
  [{md5Checksum: 'a', headRevisionId: '1'}, {md5Checksum: 'a', headRevisionId: '2'}, false],
  [{md5Checksum: 'a', headRevisionId: '1'}, {md5Checksum: 'b', headRevisionId: '1'}, false],
])('%j and %j have the same content: %s', (before, now, isSame) => {
  expect(isSameContent(fileStateOf(before), fileStateOf(now))).toBe(isSame)
})
