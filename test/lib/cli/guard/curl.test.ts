import {execFileSync} from 'node:child_process'
import {expect, test} from 'vitest'
import {curlLine} from '#lib/cli/guard/curl.js'
import {shellQuoted} from '#lib/cli/terminal/read-argv.js'

const all = Array.from({length: 0x100 - 1}, (_, at) => String.fromCharCode(at + 1)).join('')

/** Parses a line with a shell in which `curl` prints its arguments. */
function wordsOf(line: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}\n`
  const env = {DRV_TOKEN: 'secret'}
  return execFileSync('sh', ['-c', script], {env, encoding: 'utf8'}).split('\0').slice(0, -1)
}

test.each([all, "it's", '$HOME `id` $(id) \\', '-x', '', 'ü 漢 🙂', 'a\nb\r\n!'])(
  'a shell reads a quoted word unchanged: %j',
  text => {
    expect(wordsOf(`curl ${shellQuoted(text)}`)).toEqual([text])
  },
)

const request = {method: 'POST', url: 'http://[::1]:1/x?q=%27', headers: {accept: 'a'}}

test('a line contains no token; the shell inserts it', () => {
  const line = curlLine({...request, body: {title: "$DRV_TOKEN 'x'"}})
  expect(line).not.toContain('secret')
  expect(wordsOf(line)).toEqual([
    ...['-sS', '--fail-with-body', '-X', 'POST', '-H', 'Authorization: Bearer secret'],
    ...['-H', 'accept: a', '--data-raw', '{"title":"$DRV_TOKEN \'x\'"}'],
    ...['--globoff', 'http://[::1]:1/x?q=%27'],
  ])
})

test('binary content is sent from a file, after the metadata', () => {
  const content = {path: 'a";\\.txt', mimeType: 'text/plain'}
  const headers = {'content-length': '5', 'content-type': 'text/plain'}
  expect(wordsOf(curlLine({...request, headers}, {content}))).toEqual(
    expect.arrayContaining(['-T', 'a";\\.txt', 'content-type: text/plain']),
  )
  expect(curlLine({...request, headers}, {content})).not.toContain('content-length')
  const both = wordsOf(curlLine({...request, headers, body: {title: 'a"b'}}, {content}))
  expect(both).toContain('metadata="{\\"title\\":\\"a\\\\\\"b\\"}";type=application/json')
  expect(both).toContain('content=@"a\\";\\\\.txt";type=text/plain')
})

test('a download keeps an existing file unless it may be replaced', () => {
  const get = {...request, method: 'GET'}
  const line = (overwrite: boolean) => wordsOf(curlLine(get, {output: {path: 'o', overwrite}}))
  expect(line(true)).not.toContain('--no-clobber')
  expect(line(false)).toEqual(expect.arrayContaining(['-o', 'o', '--no-clobber']))
  expect(line(true)).not.toContain('-X')
})
