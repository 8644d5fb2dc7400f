import {createHash} from 'node:crypto'
import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {startLocalIssuer} from '../../support/auth-servers/local-issuer.js'
import {freshMachine} from '../../support/auth-servers/machine.js'

/** Transfers during which tokens expire continue where they were, at both kinds of servers. */

const MB = 1024 * 1024

describe.each(['standard', 'document'] as const)('signed in to a server of the %s', kind => {
  async function start(rules: readonly unknown[]) {
    const server = await startLocalIssuer({kind, faults: {rules}})
    const machine = freshMachine(server.env)
    const {code, stderr} = await machine.signIn(server, ['--web'])
    expect(code, stderr).toBe(0)
    return {server, machine}
  }

  /** Bytes without repetitions. */
  function content(size: number): Buffer {
    const bytes = Buffer.alloc(size)
    for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(at, at)
    return bytes
  }

  const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

  test('a list of all pages has each file once', async () => {
    const {server, machine} = await start([
      {operations: 'files.list', fault: 'token-expire', calls: [3]},
    ])
    const titles = Array.from({length: 23}, (_, number) => `file ${number + 10}`)
    const made = await machine.drv('mkdir', ...titles.map(title => `/${title}`))
    expect(made.code, made.stderr).toBe(0)
    const line = ['--max-results', '5', '--all', '--json']
    const listed = await machine.drv('files list', ...line)
    expect(listed.code, listed.stderr).toBe(0)
    const found = listed.json<{items: {title: string}[]}>().items.map(({title}) => title)
    expect(found.sort()).toEqual(titles)
    expect(server.refreshes()).toBe(1)
  })

  test('a push of sixty files uploads each once', {timeout: 60_000}, async () => {
    const {server, machine} = await start([
      {operations: ['files.insert', 'batch'], fault: 'token-expire', calls: [5, 60]},
    ])
    const folder = join(machine.home, 'many')
    mkdirSync(folder)
    const titles = Array.from({length: 60}, (_, number) => `${number + 10}.txt`)
    for (const title of titles) writeFileSync(join(folder, title), title)
    const pushed = await machine.drv('push', folder, '/')
    expect(pushed.code, pushed.stderr).toBe(0)
    const listed = (await machine.drv('ls /many', '--json')).json<{title: string}[]>()
    expect(listed.map(({title}) => title).sort()).toEqual(titles)
    expect(server.refreshes()).toBeGreaterThan(0)
    expect(server.refreshes()).toBeLessThan(3)
  })

  test.each<[string, readonly unknown[]]>([
    ['as its content begins', [{via: 'chunk', fault: 'token-expire', calls: [1]}]],
    [
      'after its connection broke',
      [
        {via: 'chunk', fault: 'reset', at: 'request', after: 8 * MB, calls: [1]},
        {via: 'chunk', fault: 'token-expire', calls: [2]},
      ],
    ],
  ])('a large upload whose token expires %s continues', {timeout: 60_000}, async (_, faults) => {
    const rules = faults.map(fault => ({operations: 'files.insert', ...(fault as object)}))
    const {server, machine} = await start(rules)
    const bytes = content(24 * MB)
    const path = join(machine.home, 'large.bin')
    writeFileSync(path, bytes)
    const pushed = await machine.drv('push', path, '/large.bin')
    expect(pushed.code, pushed.stderr).toBe(0)
    expect((await machine.drv('md5sum /large.bin')).stdout).toContain(md5(bytes))
    expect(server.refreshes()).toBe(1)
    const listed = (await machine.drv('ls /', '--json')).json<unknown[]>()
    expect(listed).toHaveLength(1)
  })

  test('an upload from standard input continues', {timeout: 60_000}, async () => {
    const {server, machine} = await start([
      {operations: 'files.insert', via: 'chunk', fault: 'token-expire', calls: [1]},
    ])
    const bytes = content(12 * MB)
    const pushed = await machine.apart('push - /input.bin', [], {input: bytes})
    expect(pushed.code, pushed.stderr).toBe(0)
    expect((await machine.drv('md5sum /input.bin')).stdout).toContain(md5(bytes))
    expect(server.refreshes()).toBe(1)
  })
})
