// Preloaded into drv: records the modules and functions it loads before its first request (or until it ends), and
// writes them as JSON to the file in START_PROBE.
'use strict'
const {subscribe} = require('node:diagnostics_channel')
const {writeFileSync} = require('node:fs')
const {Session} = require('node:inspector')

const builtins = new Set(process.moduleLoadList)
const intl = []
for (const name of Object.getOwnPropertyNames(Intl)) {
  if (typeof Intl[name] !== 'function' || !/^[A-Z]/.test(name)) continue
  const note = make => {
    return (...given) => {
      intl.push(name)
      return make(...given)
    }
  }
  Intl[name] = new Proxy(Intl[name], {
    construct: note(Reflect.construct),
    apply: note(Reflect.apply),
  })
}
const {parse} = JSON
let parsed = 0
JSON.parse = (text, ...more) => {
  parsed += String(text).length
  return parse(text, ...more)
}

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: false})

let isWritten = false
function write() {
  if (isWritten) return
  isWritten = true
  session.post('Profiler.takePreciseCoverage', (_, {result}) => {
    const {functions} = result.find(({url}) => url.endsWith('drv.cjs')) ?? {functions: []}
    // esbuild turns a bundled module into a function with this name.
    const modules = functions
      .filter(({functionName}) => /^(src|node_modules|build)\//.test(functionName))
      .filter(({ranges: [range]}) => range.count > 0)
      .map(({functionName, ranges: [range]}) => [functionName, range.endOffset - range.startOffset])
    const loaded = process.moduleLoadList
      .filter(name => name.startsWith('NativeModule ') && !builtins.has(name))
      .map(name => name.slice('NativeModule '.length))
    writeFileSync(process.env.START_PROBE, JSON.stringify({modules, loaded, intl, parsed}))
  })
}
subscribe('http.client.request.start', write)
process.once('exit', write)
