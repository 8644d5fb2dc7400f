import {readdirSync} from 'node:fs'
import {join, relative} from 'node:path'
import {Readable} from 'node:stream'
import {fileURLToPath, pathToFileURL} from 'node:url'
import {type Command, type Config, Errors} from '@oclif/core'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {explain} from '#lib/cli/explain/explain.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {createSay} from '#lib/cli/terminal/say.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {requestUrl} from '#lib/client/url.js'
import {collector} from '../support/collector.js'

/** Runs commands in this process, up to the point where they would send a request. */

const COMMANDS = fileURLToPath(new URL('../../src/commands/', import.meta.url))

/** All commands by their words: `files trash`. */
export const commandNames: readonly string[] = readdirSync(COMMANDS, {
  recursive: true,
  withFileTypes: true,
})
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => relative(COMMANDS, join(entry.parentPath, entry.name)))
  .map(path => path.slice(0, -'.ts'.length).split(/[/\\]/).join(' '))
  .sort()

export type CommandClass = Omit<typeof Command, 'prototype'> &
  (new (argv: string[], config: Config) => Command)

export async function loadCommand(name: string): Promise<CommandClass> {
  const file = pathToFileURL(join(COMMANDS, `${name.split(' ').join('/')}.ts`)).href
  return ((await import(file)) as {default: CommandClass}).default
}

/** The request of a command line, or its error message. */
export interface Outcome {
  readonly id?: OperationId
  readonly input?: CallInput
  readonly error?: string
  readonly hint?: string
  readonly exit?: number
  readonly stdout: string
  readonly stderr: string
}

export interface Surroundings {
  readonly stdin?: string
  /** The responses of the client, by operation. */
  readonly answers?: Readonly<Record<string, Page>>
  /** The pages of a list. */
  readonly pages?: Iterable<Page> | AsyncIterable<Page>
  readonly isTerminal?: boolean
}

/** Runs `files trash` with arguments against a client that only records. */
export async function outcomeOf(
  name: string,
  argv: readonly string[],
  surroundings?: Surroundings,
): Promise<Outcome> {
  return outcomeOfClass(await loadCommand(name), name, argv, surroundings)
}

/** The same for a command without a file of its own. */
export async function outcomeOfClass(
  Class: CommandClass,
  name: string,
  argv: readonly string[],
  {stdin = '', answers = {}, pages = [{items: []}], isTerminal = false}: Surroundings = {},
): Promise<Outcome> {
  const stdout = collector()
  const stderr = collector()
  let sent: {id: OperationId; input: CallInput} | undefined
  const client: Client = {
    operation,
    async call(id, input) {
      sent = {id, input}
      return answers[id] ?? {}
    },
    async download(id, input) {
      sent = {id, input}
      return {stream: Readable.from([Buffer.from('content')]), cancel: () => {}}
    },
    async *pages(id, input) {
      sent = {id, input}
      yield* pages
    },
    prepare: (id, {params, body, upload}) => ({
      method: operation(id).httpMethod,
      url: requestUrl('https://files.example.com', operation(id), params, upload && 'multipart'),
      headers: {},
      body,
    }),
    batch: unexpected,
    proven: async () => undefined,
    uploads: {start: unexpected, status: unexpected, send: unexpected, cancel: unexpected},
    openAhead: () => {},
    persist: work => work(() => {}),
  }
  const command = new Class([...argv], fakeConfig)
  command.id = name.replaceAll(' ', ':')
  const createContext = (options: GlobalOptions, signal: AbortSignal): Context => ({
    options,
    command: name,
    typed: [],
    userAgent: 'drv/0.0.0',
    root: '',
    setCounterpart: () => {},
    policy: async () => undefined,
    explain: error => explain(error, {flags: [], environmentToken: false}),
    onSignal: () => {},
    signalHandler: () => undefined,
    environment: {},
    directories: {},
    caches: undefined,
    io: {
      stdin: Readable.from([stdin]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      say: createSay(stderr.stream, {}),
      log: createSay(stderr.stream, {}),
      unsaid: [],
      interactive: false,
      isTerminal,
      progress: false,
      draws: false,
      isDumb: false,
      color: false,
      hasKeys: false,
      width: 80,
      height: 24,
    },
    pager: {
      print: async text => void stdout.stream.write(text),
      say: createSay(stderr.stream, {}),
      end: async () => {},
    },
    now: () => Date.UTC(2026, 10, 21),
    sleep: async () => {},
    newId: () => 'new-id',
    signal,
    settings: async () => ({profile: 'local', embedded: true, clientId: '', binding: 'local'}),
    addresses: unexpected,
    session: unexpected,
    retrying: unexpected,
    send: unexpected,
    client: async () => client,
    plainSender: unexpected,
    journal: async () => undefined,
    transfer: async () => ({client, signal}),
    onRefusal: () => {},
    onWait: () => {},
    waits: {
      begin: () => ({renew: () => {}, pause: () => {}, end: () => {}}),
      series: () => work => work(),
      shown: () => {},
      longest: () => undefined,
    },
    note: text => {
      if (!options.quiet) stderr.stream.write(`${text}\n`)
    },
    onEnd: () => {},
    onInterrupt: () => {},
    standing: () => undefined,
    afterwards: () => {},
    told: async () => {},
    onSuccess: () => {},
    succeeded: async () => {},
    close: async () => {},
  })
  const seam = Object.assign(command, {createContext}) as unknown as {execute(): Promise<void>}
  try {
    await seam.execute()
    return {...sent, stdout: stdout.text(), stderr: stderr.text()}
  } catch (error) {
    if (error instanceof Errors.ExitError && error.oclif.exit === 0) {
      return {stdout: stdout.text(), stderr: stderr.text()}
    }
    const flags = Object.keys({...Class.baseFlags, ...Class.flags})
    const {args} = Class
    const {message, hint, exit} = explain(error, {
      command: name,
      flags,
      args,
      environmentToken: false,
    })
    return {error: message, hint, exit, stdout: stdout.text(), stderr: stderr.text()}
  }
}

/** The words of a line; quoted text stays together: `--q "a b"`. */
export function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

const fakeConfig = {
  bin: 'drv',
  version: '0.0.0',
  runHook: async () => ({successes: [], failures: []}),
} as unknown as Config

async function unexpected(): Promise<never> {
  throw new Error('A command that only sends must not ask for this.')
}
