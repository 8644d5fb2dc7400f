import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type Interfaces, execute, settings} from '@oclif/core'
import {asksForAll} from '../help/asked.js'
import {wordsFirst} from './flagorder.js'
import {withMethodHelp} from '../help/methodhelp.js'

/** Runs the command line. `bundle` is the file that holds everything; package.json tells oclif what is in it. */
export async function start(bundle: string): Promise<void> {
  const root = dirname(dirname(bundle))
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Interfaces.PJSON
  const argv = process.argv.slice(2)
  if (argv.length === 0) {
    const {showAlone} = await import('../help/standpoint.js')
    return showAlone(process.env)
  }
  if (asksForAll(argv)) {
    const {showAll} = await import('../help/show.js')
    return showAll(root, pjson)
  }
  // Else NODE_ENV=development has oclif look for TypeScript.
  settings.enableAutoTranspile = false
  // There are no plugins to look for.
  await execute({
    args: withMethodHelp(wordsFirst(argv)),
    loadOptions: {root, pjson, userPlugins: false, devPlugins: false},
  })
}
