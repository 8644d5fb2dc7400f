import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Interfaces} from '@oclif/core'
import {type Listed, rootHelp} from './root.js'

/** A terminal that does not tell has as many columns as the first ones had. */
export const COLUMNS = 80

/** Writes the help of `drv` itself; `root` is the folder with package.json and the manifest. */
export function showAll(root: string, {oclif}: Interfaces.PJSON): void {
  const manifest = JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as {
    readonly commands: Readonly<Record<string, {summary?: string; hidden?: boolean}>>
  }
  const commands = Object.entries(manifest.commands).filter(
    ([id, {hidden}]) => !id.includes(':') && !hidden,
  )
  const topics = Object.entries(oclif.topics ?? {}).filter(([name]) => !name.includes(':'))
  const text = rootHelp(
    {
      commands: commands.map(([name, {summary = ''}]): Listed => ({name, words: summary})),
      topics: topics.map(([name, {description = ''}]): Listed => ({name, words: description})),
    },
    process.stdout.columns || COLUMNS,
  )
  process.stdout.write(text)
}
