// Replaces oclif's help, which is loaded only for commands that drv's own help does not know.
'use strict'
const load = () => require('../../node_modules/@oclif/core/lib/help/index.js')
module.exports = {
  ...require('../../node_modules/@oclif/core/lib/help/util.js'),
  loadHelpClass: config => load().loadHelpClass(config),
  get Help() {
    return load().Help
  },
}
