import {expect, test} from 'vitest'
import {
  errorWords,
  isFull,
  obstacleOf,
  reasonOf,
  systemSentence,
} from '#lib/platform/system-errors.js'

test.each([
  [{code: 'ENOSPC', path: '/a'}, 'Cannot write /a: the disk is full'],
  [{code: 'EROFS', path: '/a'}, '/a is on a read-only file system'],
  [{code: 'EIO', path: '/a', syscall: 'read'}, 'Cannot read /a: the device reported an I/O error'],
  [{code: 'EIO', path: '/a'}, 'Cannot write /a: the device reported an I/O error'],
  [{code: 'EIO', syscall: 'read'}, 'Cannot read the input: the device reported an I/O error'],
  [{code: 'EIO'}, 'Cannot write the output: the device reported an I/O error'],
  [{code: 'EDQUOT'}, 'Cannot write the output: disk quota exceeded'],
  // Without a path, only write errors have a sentence.
  [{code: 'ENOENT'}, undefined],
  [{code: 'EWEIRD', path: '/a'}, undefined],
  [{}, undefined],
])('%o is reported as %s', (error, sentence) => {
  expect(systemSentence(error)).toBe(sentence)
})

test.each([
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_SHMSIZE', 'device'],
  ['SQLITE_READONLY_DBMOVED', 'readOnly'],
  ['SQLITE_CORRUPT_VTAB', 'damaged'],
  ['SQLITE_BUSY_SNAPSHOT', 'busy'],
  ['EDQUOT', 'share'],
  ['SQLITE_CONSTRAINT_UNIQUE', undefined],
  ['ENOENT', undefined],
  ['ECONNRESET', undefined],
  ['', undefined],
])('%s is the obstacle %s', (code, obstacle) => {
  expect(obstacleOf(code)).toBe(obstacle)
})

test('a disk is full, or the quota is exceeded', () => {
  const codes = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'EROFS', 'SQLITE_IOERR', '']
  expect(codes.filter(isFull)).toEqual(['ENOSPC', 'EDQUOT', 'SQLITE_FULL'])
})

test.each([
  ["ETXTBSY: text file is busy, open '/a, b'", 'text file is busy'],
  ['EBADF: bad file descriptor, fdatasync', 'bad file descriptor'],
  ['Everything: is said', 'Everything: is said'],
])('the words of "%s" are "%s"', (message, words) => {
  expect(errorWords(message)).toBe(words)
})

test.each([
  [
    {code: 'ENOENT', message: "ENOENT: no such file or directory, open '/a'"},
    'no such file or directory',
  ],
  [{code: 'EROFS'}, 'the file system is read-only'],
  [{code: 'EBADF', message: 'EBADF: bad file descriptor, read'}, 'bad file descriptor'],
  [{code: 'EWEIRD'}, 'EWEIRD'],
  [new Error('It is odd'), 'It is odd'],
])('the reason of %o is "%s"', (error, reason) => {
  expect(reasonOf(error)).toBe(reason)
})
