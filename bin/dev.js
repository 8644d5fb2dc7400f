#!/usr/bin/env node
'use strict'
// Runs drv from its source, in whatever folder one is. The index of the commands is that of the last
// `npm run bundle`: a new command needs one, a change of its code does not.
const {existsSync, readdirSync, readFileSync} = require('node:fs')
const Module = require('node:module')
const {dirname, join, resolve} = require('node:path')
const {transformSync} = require('esbuild')

const root = dirname(__dirname)
const source = join(root, 'src')

// As the bundle does it: all imports are `require`, and `?raw` is the text of a file.
require.extensions['.ts'] = (module, filename) => {
  const {code} = transformSync(readFileSync(filename, 'utf8'), {
    loader: 'ts',
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    supported: {'dynamic-import': false},
    define: {__dirname: JSON.stringify(join(root, 'dist'))},
    sourcemap: 'inline',
    sourcefile: filename,
  })
  module._compile(code, filename)
}
const load = Module._load
Module._load = function (name, parent, ...rest) {
  const path = name.startsWith('.') && parent ? resolve(dirname(parent.filename), name) : name
  if (path.endsWith('?raw')) {
    return {__esModule: true, default: readFileSync(path.slice(0, -'?raw'.length), 'utf8')}
  }
  const typed = path.replace(/\.js$/, '.ts')
  const isOwn = path.startsWith(source) && existsSync(typed)
  return load.call(this, isOwn ? typed : name, parent, ...rest)
}
process.setSourceMapsEnabled(true)

/** The classes of all commands by their IDs, each loaded when it is asked for. */
const commands = {}
for (const path of readdirSync(join(source, 'commands'), {recursive: true})) {
  if (!path.endsWith('.ts')) continue
  const id = path.slice(0, -'.ts'.length).replaceAll(/[\\/]/g, ':')
  const get = () => require(join(source, 'commands', path)).default
  Object.defineProperty(commands, id, {get, enumerable: true})
}

const {start} = require(join(source, 'lib/cli/start.ts'))
void start(join(root, 'dist/drv.cjs'), commands)
