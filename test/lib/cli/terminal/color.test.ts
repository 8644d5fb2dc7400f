import {expect, test} from 'vitest'
import {colorize, usesColor} from '#lib/cli/terminal/color.js'

type Environment = Record<string, string>

const terminal = {noColor: false, isTTY: true}
const pipe = {noColor: false, isTTY: false}

test.each<[string, typeof pipe, Environment, boolean]>([
  ['a terminal', terminal, {TERM: 'xterm'}, true],
  ['a pipe', pipe, {}, false],
  ['NO_COLOR', terminal, {NO_COLOR: '1'}, false],
  ['an empty NO_COLOR', terminal, {NO_COLOR: ''}, true],
  ['--no-color', {...terminal, noColor: true}, {}, false],
  ['--no-color and FORCE_COLOR', {...pipe, noColor: true}, {FORCE_COLOR: '1'}, false],
  ['FORCE_COLOR', pipe, {FORCE_COLOR: '1'}, true],
  ['an empty FORCE_COLOR', pipe, {FORCE_COLOR: ''}, true],
  ['FORCE_COLOR=0', terminal, {FORCE_COLOR: '0'}, false],
  ['CLICOLOR_FORCE', pipe, {CLICOLOR_FORCE: '1'}, true],
  ['CLICOLOR_FORCE=0', pipe, {CLICOLOR_FORCE: '0'}, false],
  ['FORCE_COLOR and NO_COLOR', pipe, {FORCE_COLOR: '1', NO_COLOR: '1'}, true],
  ['TERM=dumb', terminal, {TERM: 'dumb'}, false],
  ['TERM=dumb and FORCE_COLOR', terminal, {TERM: 'dumb', FORCE_COLOR: '3'}, false],
])('%s', (_, how, environment, isColoured) => {
  expect(usesColor(how, environment)).toBe(isColoured)
})

test('a style is an escape sequence around the text, and none around an empty one', () => {
  expect(colorize('x', 'folder')).toBe('\u001b[34mx\u001b[39m')
  expect(colorize('', 'header')).toBe('')
  expect(colorize('x', undefined)).toBe('x')
})
