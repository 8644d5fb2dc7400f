// Stands for oclif's help, which drv shows only for what its own help knows nothing of: it is loaded then.
'use strict'
const load = () => require('../../node_modules/@oclif/core/lib/help/index.js')
module.exports = {
  ...require('../../node_modules/@oclif/core/lib/help/util.js'),
  loadHelpClass: config => load().loadHelpClass(config),
  get Help() {
    return load().Help
  },
}
