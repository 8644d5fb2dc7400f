// Runs in a thread: takes in bytes, and answers once they are hashed. Node reads it as text, so that it
// is the same from the source as from the bundle.
const {createHash} = require('node:crypto')
const {parentPort} = require('node:worker_threads')

let hash = createHash('md5')
parentPort?.on('message', (/** @type {Uint8Array | 'reset' | 'digest'} */ message) => {
  if (message === 'reset') hash = createHash('md5')
  else if (message === 'digest') parentPort?.postMessage(hash.copy().digest('hex'))
  else parentPort?.postMessage(hash.update(message) && '')
})
