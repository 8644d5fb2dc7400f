// Stands for what oclif asks of the system at every start: the shell, for which it starts PowerShell on Windows
// and fails elsewhere for a user whom the system does not know, and whether Linux runs inside Windows. drv uses
// neither.
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
