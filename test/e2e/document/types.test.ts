import {execFile} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {transform} from 'esbuild'
import {expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld} from '../../support/world.js'

const PROGRAM = `
import {createClient} from './drive.mjs'
const client = createClient({token: process.env.DRV_TOKEN})
const media = new Blob(['from a program'], {type: 'text/plain'})
const {id: fileId} = await client.files.insert({}, {title: 'note.txt'}, {media})
console.log(await (await client.files.getMedia({fileId})).text())
`

test("a program runs with the types generated for the profile's service", async () => {
  const world = await startWorld({}, runHere)
  try {
    const {stdout, stderr, code} = await world.run('api types', ['files.insert', 'files.get'], {
      // Descriptions need no sign-in.
      env: {...world.env, DRV_TOKEN: ''},
    })
    expect({code, stderr}).toEqual({code: 0, stderr: ''})
    expect(stdout).toContain(`connect('${world.url}/', options)`)
    const {code: module} = await transform(stdout, {loader: 'ts'})
    writeFileSync(join(world.folder, 'drive.mjs'), module)
    writeFileSync(join(world.folder, 'program.mjs'), PROGRAM)
    const program = join(world.folder, 'program.mjs')
    const ran = await promisify(execFile)(process.execPath, [program], {env: world.env})
    expect(ran).toEqual({stdout: 'from a program\n', stderr: ''})
  } finally {
    await world.close()
  }
})
