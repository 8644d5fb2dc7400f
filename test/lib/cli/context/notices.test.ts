import {describe, expect, test} from 'vitest'
import {createNotices} from '#lib/cli/context/notices.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'

const OPTIONS = {
  quiet: false,
  verbose: false,
  debug: false,
  noInput: false,
  noColor: false,
  noHistory: false,
  noPager: false,
  null: false,
  probe: true,
  dryRun: false,
}
const PAUSE = 'Rate limit reached.'

/** The notices on standard error; `pass` advances the clock by a number of milliseconds. */
function start(options: Partial<GlobalOptions> = {}, isTerminal = false) {
  let text = ''
  let time = 0
  let due: {at: number; work: () => void} | undefined
  const say = (line: string) => void (text += `${line}\n`)
  const telling = createNotices(
    {say, log: say, progress: isTerminal},
    {...OPTIONS, ...options},
    () => time,
    (milliseconds, work) => (due = {at: time + milliseconds, work}),
  )
  return {
    telling,
    text: () => text,
    pass(milliseconds: number) {
      time += milliseconds
      if (due && due.at <= time) due.work()
    },
  }
}

test('a notice is one line, even with line breaks in names', () => {
  const {telling, text} = start({verbose: true})
  telling.note('Opened x\r\nError: Forged.\u001b[2J')
  telling.log?.('GET /x\nForged')
  expect(text()).toBe('Opened x\uFFFD\uFFFDError: Forged.\uFFFD[2J\nGET /x\uFFFDForged\n')
})

describe('a wait of ten seconds', () => {
  test.each([true, false])('is shown, at a terminal (%s) or not', isTerminal => {
    const {telling, text, pass} = start({}, isTerminal)
    telling.waits.begin(() => 'files.example.com')
    pass(9999)
    expect(text()).toBe('')
    pass(1)
    expect(text()).toRead()
  })

  test('is shown by a progress bar', () => {
    const {telling, text, pass} = start({}, true)
    const shown: string[] = []
    telling.onWait(words => shown.push(words))
    telling.waits.begin(() => 'an answer')
    pass(10_000)
    expect([shown, text()]).toEqual([['Still waiting for an answer (10 s) …'], ''])
  })

  test.each<Partial<GlobalOptions>>([{quiet: true}, {format: 'json'}, {format: 'ndjson'}])(
    'is not shown with %j',
    options => {
      const {telling, text, pass} = start(options)
      telling.waits.begin(() => 'an answer')
      telling.wait(PAUSE, 60_000)
      pass(60_000)
      expect(text()).toBe('')
    },
  )
})

describe('a pause', () => {
  test('is shown at a terminal, even if short', () => {
    const {telling, text} = start({}, true)
    telling.wait(PAUSE, 1000)
    expect(text()).toBe(`${PAUSE}\n`)
  })

  test('is shown elsewhere if long, once for simultaneous pauses', () => {
    const {telling, text, pass} = start()
    telling.wait(PAUSE, 9999)
    expect(text()).toBe('')
    for (let n = 0; n < 64; n++) telling.wait(PAUSE, 30_000)
    expect(text()).toBe(`${PAUSE}\n`)
    pass(30_000)
    telling.wait(PAUSE, 30_000)
    expect(text()).toBe(`${PAUSE}\n${PAUSE}\n`)
  })

  test('is not shown with --verbose', () => {
    const {telling, text} = start({verbose: true}, true)
    telling.wait(PAUSE, 60_000)
    expect(text()).toBe('')
    telling.log?.('GET https://files.example.com/ 503 (12 ms)')
    expect(text()).toBe('GET https://files.example.com/ 503 (12 ms)\n')
  })
})
