import {afterAll, beforeAll, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {findRemotePaths} from '#lib/transfer/remote/resolve.js'
import {type Place, startPlace} from '../world.js'

/** Resolving many paths with batches of a real client and a real service. */

let place: Place
const ids = new Map<string, string>()

beforeAll(async () => {
  place = await startPlace()
  const make = async (title: string, parent: string, mimeType = 'text/plain') => {
    const body = {title, mimeType, parents: [{id: parent}]}
    return String((await place.service.json('POST', 'files', {body})).body.id)
  }
  const reports = await make('Reports', 'root', FOLDER_TYPE)
  const years = await Promise.all([0, 1, 2].map(n => make(`it's ${n}`, reports, FOLDER_TYPE)))
  for (let n = 0; n < 240; n++) {
    // Each name exists three times, in three folders.
    const title = `"${Math.floor(n / 3)}" \\ 報告 & ${'x'.repeat(n % 50 < 3 ? 200 : 5)}.pdf`
    ids.set(`/Reports/it's ${n % 3}/${title}`, await make(title, years[n % 3]!))
  }
})
afterAll(() => place.close())

test('many paths are resolved with two requests at a service, and one for missing ones', async () => {
  const paths = [...ids.keys(), '/Reports/nothing']
  const {client} = place.process()
  place.requests.length = 0
  const results = await findRemotePaths(client, paths.map(parseRemotePath))
  expect(results.slice(0, -1).map(one => 'found' in one && one.found.entry.id)).toEqual([
    ...ids.values(),
  ])
  expect(results.at(-1)).toMatchObject({error: {message: 'There is no "nothing" in /Reports.'}})
  // The top of My Drive, the names in a batch, and suggestions for the missing name.
  expect(place.requests).toEqual([
    'GET /drive/v2/files/root',
    expect.stringMatching(/^POST .*\bbatch\b/),
    'GET /drive/v2/files',
  ])
})
