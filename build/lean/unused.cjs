// Stands for packages that would be loaded at every start and are never used: what looks for plugins, files of
// commands and configuration, and HTTP/2, which opens a TLS context as soon as it is loaded. Using one is an error.
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
