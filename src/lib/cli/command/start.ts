import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type Interfaces, execute, settings} from '@oclif/core'
import {wordsFirst} from './flagorder.js'
import {withMethodHelp} from './methodhelp.js'

/** Runs the command line. `bundle` is the file that holds everything; package.json tells oclif what is in it. */
export async function start(bundle: string): Promise<void> {
  const root = dirname(dirname(bundle))
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Interfaces.PJSON
  // Else NODE_ENV=development has oclif look for TypeScript.
  settings.enableAutoTranspile = false
  // There are no plugins to look for.
  await execute({
    args: withMethodHelp(wordsFirst(process.argv.slice(2))),
    loadOptions: {root, pjson, userPlugins: false, devPlugins: false},
  })
}
