#!/usr/bin/env node
'use strict'
const {existsSync, mkdirSync, readFileSync} = require('node:fs')
const Module = require('node:module')
const {isAbsolute, join} = require('node:path')
const {cacheFile, file, load} = require('./bundle.js')

const cache = readCache()
if (!cache) useOwnCache()
const {start} = cache ? load(cache).exports : require(file)
start()

function readCache() {
  try {
    return readFileSync(cacheFile)
  } catch {
    return undefined
  }
}

/**
 * The bundle was built by another version of Node. From 22 on Node keeps a cache of its own: not at
 * its usual place, which is open to everybody, for what lies in a cache is run.
 */
function useOwnCache() {
  const {XDG_CACHE_HOME, LOCALAPPDATA, HOME} = process.env
  const caches = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && join(HOME, '.cache'))
  if (!Module.enableCompileCache || !caches || !isAbsolute(caches) || !existsSync(caches)) return
  const place = join(caches, 'drv', 'compiled')
  try {
    mkdirSync(place, {recursive: true, mode: 0o700})
    Module.enableCompileCache(place)
  } catch {
    // Without a cache it only takes longer.
  }
}
