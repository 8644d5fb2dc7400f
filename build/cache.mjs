// Writes V8's code cache of dist/drv.cjs. What ran before it is written needs no compiling later:
// a usual command runs first. To be started by `drv local run`, whose service answers.
import {writeFileSync} from 'node:fs'
import {cacheFile, load} from '../bin/bundle.js'

const {script, exports} = load()
process.argv.splice(2, Infinity, 'files', 'list', '--format', 'tsv')
await exports.start()
writeFileSync(cacheFile, script.createCachedData())
