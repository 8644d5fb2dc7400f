import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, onTestFinished, test} from 'vitest'
import {askKeychain} from '#lib/auth/store/keychain.js'

/** The keychain process: how long drv waits for it, and when it is killed; its code is a stand-in. */

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(directory, {recursive: true}))

/** Runs `code` with the request in the keychain process; `busy` blocks it like the library. */
function ask(question: 'get' | 'try', code: string, limits = {start: 10_000, answer: 1000}) {
  const program = join(directory, 'program.cjs')
  writeFileSync(
    program,
    `const {writeFileSync} = require('node:fs')
    writeFileSync(${JSON.stringify(join(directory, 'pid'))}, String(process.pid))
    const busy = milliseconds =>
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
    const tell = message => new Promise(resolve => {
      if (process.connected) process.send(message, undefined, undefined, () => resolve())
      else resolve()
    })
    const heard = () => new Promise(resolve => process.once('message', resolve))
    const done = () => writeFileSync(${JSON.stringify(join(directory, 'done'))}, '')
    heard().then(async question => {${code}
      process.exit()
    })`,
  )
  onTestFinished(() => {
    if (isThere()) process.kill(pid(), 'SIGKILL')
  })
  return askKeychain({ask: question, service: 'drv', account: 'a'}, program, limits)
}

const pid = () => Number(readFileSync(join(directory, 'pid'), 'utf8'))
const isThere = () => {
  try {
    return process.kill(pid(), 0)
  } catch {
    return false
  }
}
const isDone = () => {
  try {
    return readFileSync(join(directory, 'done'), 'utf8') === ''
  } catch {
    return false
  }
}

test('a response is returned, and so is an error', async () => {
  const code = `await tell({state: 'asking'}); await tell({answer: question.account})`
  expect(await ask('get', code)).toBe('a')
  await expect(ask('get', `await tell({error: 'object locked'})`)).rejects.toThrow('object locked')
})

test('a process that exits is an error', async () => {
  await expect(ask('get', '')).rejects.toRead()
})

test('the start of the process does not count', async () => {
  const code = `busy(1500); await tell({state: 'asking'}); await tell({answer: null})`
  expect(await ask('get', code)).toBeNull()
})

test.each([
  ['before it asks', '', {start: 1000, answer: 300}],
  ['while it asks', `await tell({state: 'asking'});`, undefined],
])('a process that hangs %s is killed', async (_, code, limits) => {
  await expect(ask('try', `${code} busy(60_000)`, limits)).rejects.toRead()
  await expect.poll(isThere).toBe(false)
})

test('a process that hangs while writing may undo the write', async () => {
  const code = `await tell({state: 'asking'})
    const word = heard()
    await tell({state: 'writing'})
    await word
    busy(2500)
    done()`
  await expect(ask('try', code)).rejects.toRead()
  expect(isThere()).toBe(true)
  await expect.poll(isDone).toBe(true)
  await expect.poll(isThere).toBe(false)
})

test('a process that may no longer write exits', async () => {
  const code = `await tell({state: 'asking'})
    const word = heard()
    busy(2000)
    await tell({state: 'writing'})
    await word
    done()`
  await expect(ask('try', code)).rejects.toRead()
  await expect.poll(isThere).toBe(false)
  expect(isDone()).toBe(false)
})
