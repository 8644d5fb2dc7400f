// Replaces packages that would be loaded at every start and are never used: the search for plugins, command files
// and configuration, and HTTP/2, which opens a TLS context when loaded. Using one throws.
'use strict'
module.exports = new Proxy(
  {},
  {
    get(_, name) {
      if (name === '__esModule') return undefined
      throw new Error(`A package that is not part of drv was asked for "${String(name)}".`)
    },
  },
)
