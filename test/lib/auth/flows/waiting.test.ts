import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {PassThrough} from 'node:stream'
import {setImmediate} from 'node:timers/promises'
import {describe, expect, onTestFinished, test} from 'vitest'
import {
  clipboardSequence,
  clock,
  instructions,
  listenForKeys,
  NO_BROWSER,
  openBrowser,
  qrCode,
  webInstructions,
} from '#lib/auth/flows/waiting.js'

const CODE = {
  deviceCode: 'd',
  userCode: 'ABCD-EFGH',
  verificationUri: 'https://auth.example.com/login/device',
  expiresIn: 900,
  interval: 5,
}

test('the code has its own line, and the keys are shown where they work', () => {
  const atTerminal = instructions(CODE, {canPress: true, isHere: false})
  expect(atTerminal).toMatch(/^ +ABCD-EFGH$/m)
  expect(atTerminal).toRead()
  const elsewhere = instructions(CODE, {canPress: false, isHere: true})
  expect(elsewhere).toRead()
  expect(webInstructions('https://a.example/?x', true)).toRead()
  expect(NO_BROWSER).toRead()
  expect(webInstructions('https://a.example/?x', false)).toMatch(/^https:\/\/a\.example\/\?x$/m)
})

test.each([
  [900_000, '15:00'],
  [61_500, '1:02'],
  [0, '0:00'],
  [-5000, '0:00'],
])('%i ms are %s', (milliseconds, expected) => expect(clock(milliseconds)).toBe(expected))

test('the clipboard gets the text unchanged', () => {
  const [, encoded = ''] =
    /^\u001B\]52;c;([^\u0007]*)\u0007$/.exec(clipboardSequence('ABCD-ü')) ?? []
  expect(Buffer.from(encoded, 'base64').toString()).toBe('ABCD-ü')
})

/** In ms: a shell on a busy machine ends within this time. */
const LAUNCH_TIME = 1000

test.each([
  ['ends well', 'exit 0', true],
  ['stays open', 'sleep 5', true],
  ['finds no browser', 'exit 3', false],
])('whether a program that %s has opened a browser', async (_, script, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'drv-browser-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  const browser = join(folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\n${script}\n`, {mode: 0o755})
  expect(await openBrowser('http://127.0.0.1/', browser, LAUNCH_TIME)).toBe(expected)
  expect(await openBrowser('http://127.0.0.1/', join(folder, 'nowhere'), 100)).toBe(false)
  expect(await openBrowser('file:///etc/passwd', browser, 100)).toBe(false)
})

describe('qrCode', () => {
  test('is drawn only if it fits', async () => {
    expect(await qrCode(CODE.verificationUri, 40)).toBeUndefined()
    expect(await qrCode(CODE.verificationUri, 0)).toBeUndefined()
    const drawn = (await qrCode(CODE.verificationUri, 80))!
    const rows = drawn.trimEnd().split('\n')
    expect(rows.length).toBeGreaterThan(10)
    // In its own black and white, whatever the colors of the terminal.
    for (const row of rows) expect(row).toMatch(/^ {8}\u001B\[97;40m[█▀▄ ]+\u001B\[0m$/)
  })
})

describe('listenForKeys', () => {
  function listen(input: PassThrough & {setRawMode?: (on: boolean) => unknown}) {
    const heard: string[] = []
    const end = listenForKeys(input, {
      onEnter: () => heard.push('open'),
      onCopy: () => heard.push('copy'),
      onInterrupt: () => heard.push('interrupt'),
    })
    return {heard, end}
  }

  test('reads single keys where possible, and restores the terminal', async () => {
    const modes: boolean[] = []
    const input = Object.assign(new PassThrough(), {setRawMode: (on: boolean) => modes.push(on)})
    const {heard, end} = listen(input)
    input.write('xc\r\u0003')
    await expect.poll(() => heard).toEqual(['copy', 'open', 'interrupt'])
    end()
    expect(modes).toEqual([true, false])
    // When something else reads the input, it stops listening.
    input.resume().write('c')
    await setImmediate()
    expect(input.readableLength).toBe(0)
    expect(heard).toHaveLength(3)
  })

  test('reads lines elsewhere', async () => {
    const input = new PassThrough()
    const {heard, end} = listen(input)
    input.write('\nc\n')
    await expect.poll(() => heard).toEqual(['open', 'copy'])
    end()
  })
})
