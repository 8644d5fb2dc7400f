import {expect, test} from 'vitest'
import {openReceiverAt} from '#lib/cli/verbs/channels/listen-flags.js'

test.each([
  ['EADDRINUSE', 'listen EADDRINUSE: address already in use 127.0.0.1:8080'],
  ['EACCES', 'listen EACCES: permission denied 127.0.0.1:8080'],
  ['EADDRNOTAVAIL', 'listen EADDRNOTAVAIL: address not available 192.0.2.1:8080'],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND files'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN files'],
  ['EMFILE', 'listen EMFILE: too many open files 127.0.0.1:8080'],
])('an address of --listen that is not available: %s', async (code, message) => {
  const refused = openReceiverAt({host: '127.0.0.1', port: 8080}, async () => {
    throw Object.assign(new Error(message), {code})
  })
  const error: unknown = await refused.catch((reason: unknown) => reason)
  expect(error).toMatchObject({exit: 'failed'})
  const {message: text, hint} = error as Error & {hint: string}
  expect(`${text}\n${hint}`).toRead()
})
