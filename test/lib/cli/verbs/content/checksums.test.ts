import {describe, expect, test} from 'vitest'
import {parseSumLine, sumLine} from '#lib/cli/verbs/content/checksums.js'

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'

describe('a line of md5sum', () => {
  test.each([
    ['/a b.txt', `${MD5}  /a b.txt\n`],
    ['/back\\slash', `\\${MD5}  /back\\\\slash\n`],
    ['/two\nlines\r', `\\${MD5}  /two\\nlines\\r\n`],
    ['/a  b', `${MD5}  /a  b\n`],
  ])('for %j is written and read back', (path, line) => {
    expect(sumLine({md5Checksum: MD5, path})).toBe(line)
    expect(parseSumLine(line.trimEnd())).toEqual({md5: MD5, path})
  })

  test.each([
    [`${MD5} */binary`, {md5: MD5, path: '/binary'}],
    [`${MD5.toUpperCase()}  /x`, {md5: MD5, path: '/x'}],
    [`${MD5}  \\n`, {md5: MD5, path: '\\n'}],
    [`${MD5}/x`, undefined],
    [`${MD5}  `, undefined],
    [`${MD5.slice(1)}  /x`, undefined],
    ['', undefined],
  ])('%j is read', (line, sum) => expect(parseSumLine(line)).toEqual(sum))
})
