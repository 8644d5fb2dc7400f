import {Writable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {createPager, exceedsScreen, pagerCommand} from '#lib/cli/terminal/pager.js'

type Environment = Record<string, string>

const terminal = {noPager: false, isTerminal: true}

test.each<[object, Environment, string | undefined]>([
  [{}, {}, 'less -FRX'],
  [{}, {PAGER: 'more'}, 'more'],
  [{}, {PAGER: 'more', DRV_PAGER: 'most -x'}, 'most -x'],
  [{}, {PAGER: 'more', DRV_PAGER: ''}, undefined],
  [{}, {PAGER: ''}, undefined],
  [{}, {PAGER: 'cat'}, undefined],
  [{}, {TERM: 'dumb', PAGER: 'more'}, undefined],
  [{}, {CI: 'true', PAGER: 'more'}, undefined],
  [{noPager: true}, {PAGER: 'more'}, undefined],
  [{isTerminal: false}, {PAGER: 'more'}, undefined],
])('with %j and %j the pager is %j', (place, environment, command) => {
  expect(pagerCommand({...terminal, ...place}, environment)).toBe(command)
})

test.each([
  ['', false],
  ['a\nb\n', false],
  ['a\nb\nc\n', true],
  ['a\nb\nc', true],
  ['\n\n\n', true],
  // Two lines of a terminal.
  ['a\n0123456789x\n', true],
  ['a\n0123456789\n', false],
])('%j fills three lines of ten columns: %j', (text, is) => {
  expect(exceedsScreen(text, {height: 3, width: 10})).toBe(is)
})

describe('notices', () => {
  function start(command: string | undefined) {
    let text = ''
    const stream = () =>
      new Writable({
        write(chunk: Buffer, _, done) {
          text += chunk.toString()
          done()
        },
      })
    const say = (line: string) => void (text += `${line}\n`)
    const io = {stdout: stream(), say, width: 80, height: 10}
    const {signal} = new AbortController()
    const pager = createPager({io, command, signal, onLeave: () => expect.unreachable()})
    return {pager, text: () => text}
  }

  test('wait for the results', async () => {
    const {pager, text} = start('less')
    pager.say('before')
    await pager.print('result\n')
    pager.say('note')
    expect(text()).toBe('before\n')
    await pager.end()
    expect(text()).toRead()
  })

  test('wait for nothing without a pager', async () => {
    const {pager, text} = start(undefined)
    await pager.print('result\n')
    pager.say('note')
    expect(text()).toBe('result\nnote\n')
  })

  test('are printed, and long results too, if the pager is missing', async () => {
    const {pager, text} = start('PAGERS=none no-such-pager -x')
    await pager.print('result\n'.repeat(20))
    pager.say('note')
    expect(text()).toBe(`${'result\n'.repeat(20)}note\n`)
    await pager.end()
  })
})
