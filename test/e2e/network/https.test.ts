import {createHash, randomBytes} from 'node:crypto'
import {existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs'
import {createSecureServer, type Http2SecureServer} from 'node:http2'
import type {Server} from 'node:https'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {certificate, missingOpenssl} from '../../support/certificate.js'
import {startTls} from '../../support/tls.js'
import {startWorld, type World} from '../../support/world.js'

/** The service behind https, as everywhere except on the local machine. */

/** Enough bytes for an upload session. */
const CONTENT = randomBytes(40 * 1024 * 1024)

/** Makes a command use a server instead of the service behind it. */
function environment(server: Server | Http2SecureServer): Record<string, string> {
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {DRV_BASE_URL: address, DRV_AUTH_URL: address, NODE_EXTRA_CA_CERTS: own.cert}
}

let world: World
let own: {cert: string; key: string}
const servers: Array<Server | Http2SecureServer> = []
let env: Record<string, string>

async function serve({url = world.url, telling = true} = {}): Promise<Server> {
  const server = await startTls(url, own, telling)
  servers.push(server)
  return server
}

beforeAll(async () => {
  if (missingOpenssl) return
  world = await startWorld()
  own = certificate(world.folder, 'own')
  env = environment(await serve())
})
afterAll(async () => {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  }
  await world?.close()
})

describe('over https', () => {
  beforeEach(({skip}) => skip(missingOpenssl !== undefined, missingOpenssl))

  // got's HTTP/2 is not in the bundle: this fails if anything imports it.
  test('a service that also supports HTTP/2 is used with HTTP/1.1', async () => {
    const versions: string[] = []
    const files = {cert: readFileSync(own.cert), key: readFileSync(own.key)}
    const server = createSecureServer({...files, allowHTTP1: true}, ({httpVersion}, reply) => {
      versions.push(httpVersion)
      reply.setHeader('content-type', 'application/json')
      reply.end(JSON.stringify({kind: 'drive#file', id: 'one', title: 'of two'}))
    })
    await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
    servers.push(server)
    const {code, stderr, json} = await world.run('files get', ['one', '--json'], {
      env: environment(server),
    })
    expect(code, stderr).toBe(0)
    expect(json()).toMatchObject({title: 'of two'})
    expect(versions).toEqual(['1.1'])
  })

  test('content is uploaded and downloaded, and resumes after a broken connection', async () => {
    const rules = [
      {via: 'chunk', fault: 'reset', after: 5_000_000},
      {via: 'download', fault: 'reset', at: 'response', after: 5_000_000},
    ].map(rule => ({operations: '*', calls: [1], ...rule}))
    const faulty = await startWorld({faults: readFaultPlan(JSON.stringify({rules}))})
    onTestFinished(faulty.close)
    const env = environment(await serve({url: faulty.url}))
    const md5 = createHash('md5').update(CONTENT).digest('hex')
    const source = faulty.file('tls.bin', CONTENT)
    const up = await faulty.run('files insert', [source, '--json', '--debug'], {env})
    expect(up.code, up.stderr).toBe(0)
    expect(up.json()).toMatchObject({title: 'tls.bin', md5Checksum: md5})
    // It asked for the progress, and resumed from there.
    expect(up.stderr).toMatch(/PUT https:\S+ 308 .*PUT https:\S+ 200 /s)
    const target = join(faulty.folder, 'back.bin')
    const args = [up.json().id, '--download', target, '--debug']
    const down = await faulty.run('files get', args, {env})
    expect(down.code, down.stderr).toBe(0)
    expect(down.stderr).toMatch(/^GET https:\S+ 206 /m)
    expect(readFileSync(target).equals(CONTENT)).toBe(true)
    const {items} = await faulty.drv('files list', '--q', "title = 'tls.bin'")
    expect(items).toHaveLength(1)
  })

  test.each([
    ['whose length is told', true],
    ['whose length is not told', false],
  ])('a tree is uploaded and downloaded with %s responses', async (name, telling) => {
    const server = telling ? env : environment(await serve({telling: false}))
    const names = Array.from({length: 40}, (_, n) => `small-${n}`)
    mkdirSync(join(world.folder, name))
    for (const each of names) world.file(join(name, each), randomBytes(5000))
    const source = join(world.folder, name)
    const up = await world.run('push', [source, '/'], {env: server})
    expect(up.code, up.stderr).toBe(0)
    const back = join(world.folder, `${name} back`)
    const down = await world.run('pull', [`/${name}/`, back], {env: server})
    expect(down.code, down.stderr).toBe(0)
    for (const each of names) {
      expect(readFileSync(join(back, each)).equals(readFileSync(join(source, each)))).toBe(true)
    }
    expect(readdirSync(back)).toHaveLength(names.length)
  })

  test.each(['', 'other'])('nothing is sent to an untrusted certificate (%s)', async name => {
    const other = name && certificate(world.folder, name).cert
    const source = world.file('untrusted.bin', 'x')
    const strange = {env: {...env, NODE_EXTRA_CA_CERTS: other}}
    const host = new URL(env.DRV_BASE_URL!).host
    for (const [command, ...args] of [
      ['files insert', source],
      ['files get', 'root', '--download', join(world.folder, 'never')],
      ['push', source, '/'],
    ] as const) {
      const refused = await world.run(command, args, strange)
      expect(refused.code).toBe(8)
      const [first, ...rest] = refused.stderr.split('\n')
      expect(first).toBe(
        `Error: ${host} has a certificate that this machine does not trust. If the certificate is your own, set NODE_EXTRA_CA_CERTS to the file of its certificate authority.`,
      )
      expect(rest.join()).not.toMatch(/at .*\.js|Error/)
    }
    expect(existsSync(join(world.folder, 'never'))).toBe(false)
    const {items} = await world.drv('files list', '--q', "title = 'untrusted.bin'")
    expect(items).toEqual([])
    expect(readdirSync(join(world.env.XDG_STATE_HOME!, 'drv', 'transfers'))).toEqual([])
  })
})
