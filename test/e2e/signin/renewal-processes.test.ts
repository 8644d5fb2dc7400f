import {describe, expect, test} from 'vitest'
import type {ForeignServer} from '../../support/auth-servers/foreign.js'
import {startGithubApp} from '../../support/auth-servers/github-app.js'
import {startLocalIssuer} from '../../support/auth-servers/local-issuer.js'
import {freshMachine, type Machine, secretsIn} from '../../support/auth-servers/machine.js'
import {startOidc} from '../../support/auth-servers/oidc.js'
import {rounds} from '../../support/size.js'

/** Tokens that expire while drv runs, at both kinds of servers. */

const servers: ReadonlyArray<readonly [string, () => Promise<ForeignServer>, string[]]> = [
  ['a certified OpenID provider', () => startOidc(), ['--web']],
  ['a GitHub-like service', startGithubApp, []],
]

const KINDS = ['standard', 'document'] as const

async function signInAt(server: ForeignServer, flags: readonly string[]): Promise<Machine> {
  const machine = freshMachine(server.env)
  const {code, stderr} = await machine.signIn(server, flags)
  expect(code, stderr).toBe(0)
  return machine
}

const tokenOf = async (machine: Machine) =>
  (await machine.drv('auth token', '--json')).json<{token: string}>().token

describe.each(servers)('at %s', (_, start, flags) => {
  test('many processes with an expired token send one refresh', {timeout: 90_000}, async () => {
    const server = await start()
    const machine = await signInAt(server, flags)
    server.control.expire(await tokenOf(machine))
    const results = await Promise.all(
      Array.from({length: rounds(6, 20)}, () => machine.apart('ls /', ['--json'])),
    )
    expect(results.map(({code, stderr}) => [code, stderr])).toEqual(results.map(() => [0, '']))
    expect(server.refreshes()).toBe(1)
    expect(server.asked.filter(({error}) => error)).toEqual([])
  })

  test(
    'many processes with a token that is about to expire send one refresh',
    {timeout: 90_000},
    async () => {
      const server = await start()
      server.control.lifetime = 30
      const machine = await signInAt(server, flags)
      server.control.lifetime = 3600
      const before = server.refreshes()
      const results = await Promise.all(
        Array.from({length: rounds(6, 20)}, () => machine.apart('ls /', ['--json'])),
      )
      expect(results.map(({code}) => code)).toEqual(results.map(() => 0))
      expect(server.refreshes() - before).toBe(1)
    },
  )

  test('a refused refresh ends the sign-in with one error, once', async () => {
    const server = await start()
    const machine = await signInAt(server, flags)
    const first = await tokenOf(machine)
    await server.endSignIns()
    server.control.expire(first)
    const asked = server.asked.length
    const refused = await machine.drv('ls /')
    expect(refused.code).toBe(4)
    expect(refused.stderr).toRead()
    const after = server.asked.length
    expect(after - asked).toBe(1)
    expect((await machine.drv('ls /')).code).toBe(4)
    expect(server.asked).toHaveLength(after)
  })

  test.each(['503', 'reset'] as const)(
    'an unavailable server (%s) loses nothing',
    {timeout: 60_000},
    async trouble => {
      const server = await start()
      const machine = await signInAt(server, flags)
      server.control.expire(await tokenOf(machine))
      server.control.trouble = trouble
      const away = await machine.drv('ls /')
      expect(away.code, away.stderr).toBe(8)
      server.control.trouble = undefined
      expect((await machine.drv('ls /')).code).toBe(0)
      expect(server.refreshes()).toBe(1)
    },
  )

  test(
    'a token that is still valid is used while the server is unavailable',
    {timeout: 60_000},
    async () => {
      const server = await start()
      server.control.lifetime = 55
      const machine = await signInAt(server, flags)
      const before = server.refreshes()
      server.control.trouble = 'reset'
      expect((await machine.drv('ls /')).code).toBe(0)
      expect(server.refreshes()).toBe(before)
    },
  )

  test('no token is printed, logged or readable by others', async () => {
    const server = await start()
    const machine = await signInAt(server, flags)
    const first = await tokenOf(machine)
    server.control.expire(first)
    const {code, stdout, stderr} = await machine.drv('ls /', '--debug')
    expect(code, stderr).toBe(0)
    const second = await tokenOf(machine)
    for (const secret of [first, second, ...secretsIn(server.asked)]) {
      expect(stdout + stderr).not.toContain(secret)
      for (const {path, mode} of machine.filesWith(secret)) {
        expect(path).toMatch(/\/tokens\//)
        expect(mode).toBe(0o600)
      }
    }
    expect(machine.filesWith(first)).toEqual([])
  })

  test(
    'killing a process before the server has renewed loses nothing',
    {timeout: 60_000},
    async () => {
      const server = await start()
      const machine = await signInAt(server, flags)
      server.control.expire(await tokenOf(machine))
      let isAsked = false
      let drop = (_: Error) => {}
      server.control.beforeRefresh = () => {
        isAsked = true
        return new Promise<void>((_, reject) => (drop = reject))
      }
      const ending = {signal: 'SIGKILL', when: () => isAsked} as const
      expect((await machine.apart('ls /', [], {ending})).signal).toBe('SIGKILL')
      server.control.beforeRefresh = () => undefined
      drop(new Error('The client has gone.'))
      const {code, stderr} = await machine.drv('ls /')
      expect(code, stderr).toBe(0)
    },
  )

  test(
    'a lost response is requested again, which ends the sign-in where refresh tokens work once',
    {timeout: 60_000},
    async () => {
      const server = await start()
      const machine = await signInAt(server, flags)
      server.control.expire(await tokenOf(machine))
      server.control.lostRefreshes = 1
      const {code, stderr} = await machine.drv('ls /')
      expect(code).toBe(4)
      expect(stderr).toRead()
      expect(server.asked.filter(({grant}) => grant === 'refresh_token')).toHaveLength(2)
    },
  )
})

describe.each(KINDS)('at the local service as a server of the %s, with a reuse interval', kind => {
  const start = async (faults?: unknown) => {
    const server = await startLocalIssuer({kind, reuseInterval: 600_000, faults})
    const machine = await signInAt(server, ['--web'])
    server.control.expire()
    return {server, machine}
  }

  test.each([0, 1, 2, 4, 8, 16])(
    'killing a process %i polls after the renewal loses nothing',
    {timeout: 60_000},
    async moment => {
      const {server, machine} = await start()
      let looks = 0
      const when = () => server.refreshes() > 0 && looks++ >= moment
      await machine.apart('ls /', [], {ending: {signal: 'SIGKILL', when}})
      const {code, stderr} = await machine.drv('ls /')
      expect(code, stderr).toBe(0)
    },
  )

  test('a lost response is returned when requested again', {timeout: 60_000}, async () => {
    const {machine} = await start({rules: [{fault: 'refresh-lost', first: 1}]})
    const {code, stderr} = await machine.drv('ls /')
    expect(code, stderr).toBe(0)
  })
})
