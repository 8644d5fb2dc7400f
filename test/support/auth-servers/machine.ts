import {readdirSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {
  freshEnvironment,
  type Result,
  runDrv,
  type RunOptions,
  startDrv,
  temporaryFolder,
} from '../drv.js'
import {runHere} from '../here.js'
import type {ForeignServer} from './foreign.js'

/** The user who authorizes or denies a sign-in. */
export interface Agrees {
  authorizeDevice(address: string, userCode: string, agrees?: boolean): Promise<string>
  authorizeWeb(address: string, agrees?: boolean): Promise<string>
}

export interface SignIn extends Pick<Result, 'code' | 'stdout' | 'stderr'> {
  readonly events: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** A fresh home directory for drv, removed after the test. */
export interface Machine {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a command line in this process. */
  drv(command: string, ...args: string[]): Promise<Result>
  /** Runs a command line in a process of its own. */
  apart(command: string, args?: readonly string[], options?: RunOptions): Promise<Result>
  /** Signs in as a program does, with a user who agrees. */
  signIn(person: Agrees, flags?: readonly string[], agrees?: boolean): Promise<SignIn>
  /** The files below the home directory that contain a text, with their modes. */
  filesWith(text: string): ReadonlyArray<{readonly path: string; readonly mode: number}>
}

export function freshMachine(variables: Readonly<Record<string, string>>): Machine {
  const {path: home, remove} = temporaryFolder()
  onTestFinished(remove)
  const env = {...freshEnvironment(home), ...variables}
  return {
    home,
    env,
    drv: (command, ...args) => runHere([...command.split(' '), ...args], {env, cwd: home}),
    apart: (command, args = [], options = {}) =>
      runDrv([...command.split(' '), ...args], {cwd: home, ...options, env}),
    signIn: (person, flags = [], agrees = true) => signIn({env, home, person, flags, agrees}),
    filesWith: text =>
      filesBelow(home)
        .filter(path => readFileSync(path).includes(text))
        .map(path => ({path, mode: statSync(path).mode & 0o777})),
  }
}

async function signIn(call: {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly person: Agrees
  readonly flags: readonly string[]
  readonly agrees: boolean
}): Promise<SignIn> {
  const {env, home, person, flags, agrees} = call
  const line = ['auth', 'login', '--insecure-storage', '--json', ...flags]
  const child = startDrv(line, {env, cwd: home})
  let stdout = ''
  let stderr = ''
  let page: Promise<unknown> | undefined
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
    if (page || !stdout.includes('\n')) return
    const first = JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) as Record<string, string>
    if (first.event !== 'authorization_required') return
    page = first.user_code
      ? person.authorizeDevice(first.verification_uri!, first.user_code, agrees)
      : person.authorizeWeb(first.authorization_uri!, agrees).catch(() => undefined)
  })
  const code = await new Promise<number | null>(settle => child.on('close', settle))
  await page
  const events = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(text => JSON.parse(text) as Record<string, unknown>)
  return {code, stdout, stderr, events}
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, {withFileTypes: true, recursive: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

const SECRETS = ['refresh_token', 'code', 'code_verifier', 'device_code', 'client_secret', 'token']

/** All secrets that a server received. */
export function secretsIn(asked: ForeignServer['asked']): readonly string[] {
  const values = asked.flatMap(({form}) => SECRETS.flatMap(name => form[name] ?? []))
  return [...new Set(values)].filter(value => value !== '')
}
