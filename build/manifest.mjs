// Writes oclif.manifest.json, in which oclif finds all commands without loading one.
import {writeFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {Plugin} from '@oclif/core'
import {load} from '../dist/start.cjs'

load(resolve('dist/drv.cjs'))

const plugin = new Plugin({
  root: process.cwd(),
  type: 'core',
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
})
await plugin.load()
const {commands, version} = plugin.manifest
const sorted = Object.fromEntries(Object.entries(commands).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('oclif.manifest.json', `${JSON.stringify({commands: sorted, version}, null, 2)}\n`)
