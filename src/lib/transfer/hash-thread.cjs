// Worker thread that hashes bytes and replies when done. Node runs it from its text, so that it works
// the same from the sources and from the bundle.
const {createHash} = require('node:crypto')
const {parentPort} = require('node:worker_threads')

let hash = createHash('md5')
parentPort?.on('message', (/** @type {Uint8Array | 'reset' | 'digest'} */ message) => {
  if (message === 'reset') hash = createHash('md5')
  else if (message === 'digest') parentPort?.postMessage(hash.copy().digest('hex'))
  else parentPort?.postMessage(hash.update(message) && '')
})
