// Replaces what oclif asks the system at every start: the shell, for which it starts PowerShell on Windows and
// elsewhere fails for users unknown to the system, and whether Linux runs inside Windows. drv uses neither.
'use strict'
const {homedir} = require('node:os')
module.exports = {
  getHomeDir() {
    try {
      return homedir()
    } catch {
      return undefined
    }
  },
  getPlatform: () => Promise.resolve(process.platform),
  getShell: () => Promise.resolve('unknown'),
}
