import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import type {ForeignServer} from '../../support/auth-servers/foreign.js'
import {startGithubApp} from '../../support/auth-servers/github-app.js'
import {startLocalIssuer} from '../../support/auth-servers/local-issuer.js'
import {freshMachine, type Machine, secretsIn} from '../../support/auth-servers/machine.js'
import {startOidc} from '../../support/auth-servers/oidc.js'
import {startPublicService} from '../../support/auth-servers/public-service.js'

/** No secret of a renewable sign-in appears in output, files or command lines. Other places: leaks.test.ts. */

const servers: ReadonlyArray<readonly [string, () => Promise<ForeignServer>, string[]]> = [
  ['a certified OpenID provider', () => startOidc(), ['--web']],
  [
    'a certified OpenID provider with a secret',
    () => startOidc({secret: 'client_secret_basic', isNamed: true}),
    [],
  ],
  ['the public service', startPublicService, ['--web']],
  ['a GitHub-like service', startGithubApp, []],
  [
    'the embedded service as a standard server',
    () => startLocalIssuer({isPublic: false}),
    ['--web'],
  ],
]

test.each(servers)(
  'a sign-in at %s from start to end, with --debug',
  {timeout: 90_000},
  async (_, start, flags) => {
    const server = await start()
    const machine = freshMachine(server.env)
    const lines = watchCommandLines()
    const printed: string[] = []
    /** Tokens in the order in which they were stored. */
    const tokens = new Set<string>()
    const run = async (command: string, code = 0) => {
      const result = await machine.apart(command, ['--debug'])
      expect(result.code, `${command}: ${result.stderr}`).toBe(code)
      printed.push(result.stdout, result.stderr)
      for (const token of storedTokens(machine)) tokens.add(token)
    }
    const expire = () => server.control.expire(...tokens)

    const signedIn = await machine.signIn(server, [...flags, '--debug'])
    expect(signedIn.code, signedIn.stderr).toBe(0)
    printed.push(signedIn.stdout, signedIn.stderr)
    await run('auth status --json')
    await run('auth doctor')
    expire()
    await run('ls /')
    await run('auth login')
    server.control.trouble = '503'
    expire()
    // The local service never fails on request.
    if (server.asked.length > 0) await run('ls /', 8)
    server.control.trouble = undefined
    await run('mkdir /Reports')
    expect(server.refreshes()).toBeGreaterThan(1)

    const secrets = [...tokens, ...secretsIn(server.asked), server.clientSecret ?? 'none-here']
    expect(tokens.size).toBeGreaterThan(2)
    for (const secret of secrets) {
      for (const {path, mode} of machine.filesWith(secret)) {
        expect(path).toMatch(/\/tokens\//)
        expect(mode).toBe(0o600)
      }
    }
    await run('auth logout')
    await server.endSignIns()
    for (const secret of secrets) {
      for (const text of spellings(secret)) {
        expect(printed.join('\n')).not.toContain(text)
        expect(lines().filter(line => line.includes(text))).toEqual([])
      }
      expect(machine.filesWith(secret)).toEqual([])
    }
  },
)

function spellings(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  return [secret, encodeURIComponent(secret), base64]
}

/** The tokens and refresh tokens in the files of a machine. */
function storedTokens({home}: Machine): string[] {
  const folder = join(home, 'config', 'drv', 'tokens')
  if (!existsSync(folder)) return []
  const texts = readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
  return texts.flatMap(text => {
    const {password} = JSON.parse(text) as {password: string}
    if (!password.startsWith('{')) return []
    const {token, refreshToken} = JSON.parse(password) as Record<string, string | undefined>
    return [token, refreshToken].filter(value => value !== undefined)
  })
}

/** Collects the command lines of all processes until the test ends; empty if the system does not provide them. */
function watchCommandLines(): () => readonly string[] {
  const lines = new Set<string>()
  const processes = () =>
    existsSync('/proc') ? readdirSync('/proc').filter(name => /^\d+$/.test(name)) : []
  const earlier = new Set(processes())
  const look = () => {
    for (const id of processes().filter(id => !earlier.has(id))) {
      try {
        lines.add(readFileSync(`/proc/${id}/cmdline`, 'utf8'))
      } catch {
        // The process has ended.
      }
    }
  }
  const timer = setInterval(look, 50)
  onTestFinished(() => clearInterval(timer))
  return () => [...lines]
}
