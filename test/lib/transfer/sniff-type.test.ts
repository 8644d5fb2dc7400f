import {expect, test} from 'vitest'
import {mimeTypeOf} from '#lib/transfer/local/names.js'
import {sniffType} from '#lib/transfer/sniff-type.js'

const bytes = (text: string) => Buffer.from(text, 'latin1')

test.each([
  [bytes('%PDF-1.7\n'), 'application/pdf'],
  [bytes('\x89PNG\r\n\x1a\nIHDR'), 'image/png'],
  [bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
  [bytes('RIFF....WEBPVP8 '), 'image/webp'],
  [bytes('\x1f\x8b\x08'), 'application/gzip'],
  [Buffer.concat([Buffer.alloc(257), bytes('ustar\0')]), 'application/x-tar'],
  [Buffer.from('#!/bin/sh\necho hä\n'), 'text/plain'],
  [Buffer.from('hä').subarray(0, 2), 'text/plain'],
  [Buffer.from('<!DOCTYPE html>\n<p>'), 'text/html'],
  [Buffer.from('<?xml version="1.0"?>'), 'application/xml'],
  [Buffer.alloc(0), undefined],
  [bytes('\xff\xfe\0a'), undefined],
  [bytes('abc\0def'), undefined],
  [bytes('caf\xe9 au lait'), undefined],
])('the type of %j is %s', (head, type) => {
  expect(sniffType(head)).toBe(type)
})

test.each([
  ['doc', undefined],
  ['c', undefined],
  ['key', undefined],
  ['.c', undefined],
  ['folder.d/pages', undefined],
  ['a.c', 'text/x-c'],
  ['report.pdf', 'application/pdf'],
])('the name %s means %s', async (name, type) => {
  expect(await mimeTypeOf(name)).toBe(type)
})
