import {Writable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import type {Io} from '#lib/cli/terminal/io.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {barLine, logLine} from '#lib/cli/terminal/progress-bar.js'

const MIB = 1024 * 1024

test.each([
  [{label: 'a', done: 0, total: 4 * MIB, rate: 0}, 'a: 0 %, 0 B of 4.0 MiB'],
  [
    {label: 'a', done: MIB, total: 4 * MIB, rate: MIB},
    'a: 25 %, 1.0 MiB of 4.0 MiB, 1.0 MiB/s, 3.0 s left',
  ],
  [
    {label: 'a', done: 4 * MIB, total: 4 * MIB, rate: MIB},
    'a: 100 %, 4.0 MiB of 4.0 MiB, 1.0 MiB/s',
  ],
  [{label: 'a', done: 1, total: 7, rate: 5.1169}, 'a: 14 %, 1 B of 7 B, 5 B/s, 1.2 s left'],
  [{label: 'a', done: MIB, total: undefined, rate: MIB}, 'a: 1.0 MiB, 1.0 MiB/s'],
])('%j reads %s', (standing, line) => {
  expect(logLine(standing)).toBe(line)
})

test.each([200, 100, 80, 40])('a bar fits into %i columns', width => {
  const standing = {label: 'a very long name of a file indeed.pdf', done: 3, total: 10, rate: 1}
  expect(barLine(standing, width).length).toBeLessThan(width)
})

test('a bar shows the progress', () => {
  expect(barLine({label: 'a', done: 1, total: 2, rate: 0}, 200)).toContain(
    `${'█'.repeat(12)}${'░'.repeat(12)}  50 %`,
  )
})

describe('createProgress', () => {
  async function shown({isTerminal = false, isWanted = false, quiet = false}) {
    let text = ''
    let time = 0
    const stderr = new Writable({
      write(chunk: Buffer, _, done) {
        text += chunk.toString()
        done()
      },
    })
    const say = (line: string) => void (text += `${line}\n`)
    const io = {stderr, say, log: say, draws: isTerminal && !quiet, width: 100} as unknown as Io
    const options = {
      quiet,
      verbose: false,
      debug: false,
      noInput: false,
      noColor: false,
      noHistory: false,
      noPager: false,
      probe: true,
      dryRun: false,
    }
    let tell: ((words: string, milliseconds: number) => void) | undefined
    const onWait = (show: typeof tell) => (tell = show)
    const progress = await createProgress({io, now: () => time, options, onWait}, isWanted)
    const {onProgress} = progress.begin('file')
    return {
      progress,
      /** Reports a wait of this many milliseconds. */
      waits: (words: string, milliseconds: number) => tell?.(words, milliseconds),
      at(milliseconds: number, done: number) {
        time = milliseconds
        onProgress(done, 10 * MIB)
      },
      text: () => text,
    }
  }

  test('neither a wait nor the total label can control the terminal', async () => {
    const {at, waits, text, progress} = await shown({isTerminal: true})
    progress.total('all\u001b]0;pwned\u0007', 3)
    at(500, MIB)
    waits('It failed: \u001b[2J\nForged.', 1000)
    expect(text()).toContain('It failed:  [2J Forged.\n')
    expect(text()).not.toMatch(/\u0007|\u001b\]|\u001b\[2J/)
  })

  test('a wait is shown below the bars while it lasts', async () => {
    const {at, waits, text, progress} = await shown({isTerminal: true})
    at(500, MIB)
    waits('It failed.', 1000)
    // One line up, to the bar; then the bar, and the wait below it.
    expect(text()).toMatch(/file[^\n]*\n\u001B\[1A\r\u001B\[Jfile[^\n]*\nIt failed\.\n$/)
    at(1700, 2 * MIB)
    expect(text()).toMatch(/\nIt failed\.\n\u001B\[2A\r\u001B\[Jfile[^\n]*\n$/)
    waits('x'.repeat(300), 1000)
    expect(text().split('\n').at(-2)).toHaveLength(99)
    progress.end()
    expect(text()).toMatch(/\u001B\[2A\r\u001B\[J$/)
    waits('Later.', 1000)
    expect(text()).toMatch(/\u001B\[JLater\.\n$/)
  })

  test('a log shows no waits', async () => {
    const {waits, text} = await shown({isWanted: true})
    waits('It failed.', 1000)
    expect(text()).toBe('')
  })

  test('a pipe gets nothing', async () => {
    const {at, text} = await shown({})
    at(60_000, MIB)
    expect(text()).toBe('')
  })

  test('a pipe gets a line every few seconds on request', async () => {
    const {at, text} = await shown({isWanted: true})
    for (let second = 1; second <= 11; second++) at(second * 1000, (second * MIB) / 2)
    expect(text().trim().split('\n')).toEqual([
      'file: 25 %, 2.5 MiB of 10.0 MiB, 512.0 KiB/s, 15.0 s left',
      'file: 50 %, 5.0 MiB of 10.0 MiB, 512.0 KiB/s, 10.0 s left',
    ])
  })

  test.each([{isWanted: true}, {isTerminal: true}])('--quiet prints nothing (%j)', async how => {
    const {at, text} = await shown({...how, quiet: true})
    at(60_000, MIB)
    expect(text()).toBe('')
  })

  test('a terminal gets a bar, redrawn in place, and erased at the end', async () => {
    const {progress, at, text} = await shown({isTerminal: true})
    at(100, MIB)
    expect(text()).toBe('')
    at(500, MIB)
    at(510, 2 * MIB)
    at(700, 3 * MIB)
    progress.end()
    expect(text().match(/\u001B\[1A\r\u001B\[J/g)).toHaveLength(2)
    expect(text().endsWith('\u001B[J')).toBe(true)
    expect(text()).toContain('30 %')
    expect(text()).not.toContain('20 %')
  })

  test('several at once have a total line', async () => {
    const {progress, at, text} = await shown({isWanted: true})
    progress.total('all', 100 * MIB)
    const other = progress.begin('other')
    other.onProgress(30 * MIB, 30 * MIB)
    other.end()
    at(6000, 10 * MIB)
    expect(text()).toMatch(/^all: 40 %, 40.0 MiB of 100.0 MiB/)
  })
})
