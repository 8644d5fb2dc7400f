'use strict'
const Module = require('node:module')
const {readFileSync} = require('node:fs')
const {dirname, join} = require('node:path')
const {Script} = require('node:vm')

/** Everything that drv is, but for the packages that it loads when a command asks for them. */
const file = join(__dirname, '..', 'dist', 'drv.cjs')

/** V8's code cache of the bundle, which fits one version of Node on one kind of machine. */
const cacheFile = `${file}.${process.platform}-${process.arch}-${process.version}.cache`

/**
 * Loads the bundle as `require` would, but with a code cache. V8 leaves one aside that was made by
 * another V8, or for a text of another length; the build makes both files anew.
 */
function load(cachedData) {
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`
  const script = new Script(source, {filename: file, cachedData})
  const bundle = new Module(file, module)
  bundle.filename = file
  // oclif asks for the bundle by its name when it looks for what to do about an unknown command.
  require.cache[file] = bundle
  const run = script.runInThisContext()
  run(bundle.exports, Module.createRequire(file), bundle, file, dirname(file))
  return {script, exports: bundle.exports}
}

module.exports = {file, cacheFile, load}
