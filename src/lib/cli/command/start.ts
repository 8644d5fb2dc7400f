import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type Interfaces, execute, settings} from '@oclif/core'
import {type Asked, askedFor, withoutHelp} from '../help/asked.js'
import {withMethodHelp} from '../help/methodhelp.js'
import {wordsFirst} from './flagorder.js'

/** Runs the command line. `bundle` is the file that holds everything; package.json tells oclif what is in it. */
export async function start(bundle: string): Promise<void> {
  const root = dirname(dirname(bundle))
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Interfaces.PJSON
  const argv = withMethodHelp(wordsFirst(process.argv.slice(2)))
  if (argv.length === 0) {
    const {showAlone} = await import('../help/standpoint.js')
    return showAlone(process.env)
  }
  const asked = askedFor(argv, Object.keys(pjson.oclif.topics ?? {}))
  if (asked && (await isAnswered(asked, root))) return
  // Else NODE_ENV=development has oclif look for TypeScript.
  settings.enableAutoTranspile = false
  // There are no plugins to look for.
  await execute({
    // Of what there is no help for, oclif has a word to say where it is no command.
    args: asked ? withoutHelp(argv) : argv,
    loadOptions: {root, pjson, userPlugins: false, devPlugins: false},
  })
}

/** Shows the help that is asked for, without oclif; tells whether there is any. */
async function isAnswered({words, isWhole}: Asked, root: string): Promise<boolean> {
  const [{subjectOf}, {readManifest, showHelp}] = await Promise.all([
    import('../help/find.js'),
    import('../help/show.js'),
  ])
  const manifest = readManifest(root)
  const subject = subjectOf(words, manifest)
  if (subject) showHelp(subject, manifest, isWhole)
  return subject !== undefined
}
