import {mkdtemp, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {uploadFacts} from '#lib/cli/verbs/content/upload.js'

test('content never gets the media type of an editor document, regardless of its name', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'drv-upload-'))
  const plain = join(directory, 'notes.txt')
  const editor = join(directory, 'notes.gdoc')
  for (const path of [plain, editor]) await writeFile(path, 'hello')
  expect(await uploadFacts(plain)).toEqual({size: 5, mimeType: 'text/plain'})
  expect(await uploadFacts(editor)).toEqual({size: 5, mimeType: undefined})
})
