import {expect, test} from 'vitest'
import {completionFor, SHELLS} from '#lib/cli/completion/answer.js'
import {listingOf} from '#lib/cli/completion/ask.js'
import type {Client} from '#lib/client/client.js'

/** Limits on the number of candidates. */

const HUGE = 100_000
const names = Array.from({length: HUGE}, (_, at) => `name ${String(HUGE - at).padStart(6, '0')}`)

test.each(SHELLS)('%s gets at most a thousand candidates', shell => {
  const candidates = names.map(value => ({value}))
  const lines = completionFor(shell, {candidates, isFiles: false}).split('\n').slice(1, -1)
  expect(lines).toHaveLength(1000)
  const some = completionFor(shell, {candidates: candidates.slice(0, 1000), isFiles: false})
  expect(some.split('\n').slice(1, -1)).toHaveLength(1000)
})

test('the common prefix of all candidates stays the same', () => {
  const candidates = ['img a', 'movie', ...names].map(value => ({value}))
  const lines = completionFor('zsh', {candidates, isFiles: false}).split('\n').slice(1, -1)
  expect([lines[0], lines.at(-1)]).toEqual(['+img a', '+name 100000'])
})

/** A service that ignores the parameters of requests and sends all its items. */
const records = names.map(title => ({id: title, title, name: title}))
const client = {
  call: async () => ({items: records}),
  async *pages() {
    for (let page = 0; page < HUGE; page += 5000) yield {items: records.slice(page, page + 5000)}
  },
} as unknown as Client
const nothing = () => undefined

test.each(['/', 'drive:', 'shared:', 'trash:'])(
  'of all items that a service sends for %s, only the requested number is used',
  async place => {
    const {entries, isCut} = await listingOf(client, place, nothing)
    expect([entries.length, isCut]).toEqual([1000, true])
  },
)

test.each(['/', 'drive:'])('in %s a name beyond that limit is found', async place => {
  const {entries, isCut} = await listingOf(client, place, nothing, 'name 00001')
  expect([entries.map(({title}) => title), isCut]).toEqual([[...names].slice(-19, -9), false])
})
