import {describe, expect, test} from 'vitest'
import {
  exportFormats,
  exportSource,
  exportTypes,
  importFormats,
  importSource,
  importTarget,
  parseDelimited,
  sourceText,
} from '#lib/service/content/convert.js'
import {
  bareType,
  DOCUMENT_TYPE,
  extensionOf,
  fullExtensionOf,
  imageSize,
  kindOfType,
  SPREADSHEET_TYPE,
  typeByContent,
  typeByName,
} from '#lib/service/content/types.js'
import {newModifiedDate} from '#lib/service/metadata/apply.js'
import {folderColorPalette, nearestFolderColor} from '#lib/service/metadata/file.js'

function through(type: string, from: string, to: string, text: string): string | undefined {
  return exportSource(type, to, importSource(type, from, text)!)
}

describe('documents', () => {
  test.each([
    '',
    'one line',
    'two\nlines\n',
    '\n\n  indented\n\n\nand a gap\t.\n\n',
    'a < b && c > "d" &amp; <b>no tag</b>',
    '</pre><script>alert(1)</script>',
    'Grüße, 世界 🙂',
  ])('plain text is unchanged after a round trip, with a byte order mark: %j', text => {
    expect(through(DOCUMENT_TYPE, 'text/plain', 'text/plain', text)).toBe(`\uFEFF${text}`)
    expect(sourceText(DOCUMENT_TYPE, importSource(DOCUMENT_TYPE, 'text/plain', text)!)).toBe(text)
  })

  test('plain text becomes a page without any markup of its own', () => {
    const html = through(DOCUMENT_TYPE, 'text/plain', 'text/html', '<b>&</b>')
    expect(html).toContain('&lt;b&gt;&amp;&lt;/b&gt;')
    expect(html).not.toContain('<b>')
  })

  test('a page is unchanged after a round trip, and becomes text block by block', () => {
    const html =
      '<html><head><title>T</title><style>p {}</style></head><body><!-- x -->\n' +
      '<h1>Title</h1>\n<p>One &amp; <b>two</b>&#33;<br>three</p><ul><li>a</li><li>b&nbsp;c</li></ul></body></html>'
    expect(through(DOCUMENT_TYPE, 'text/html', 'text/html', html)).toBe(html)
    expect(through(DOCUMENT_TYPE, 'text/html', 'text/plain', html)).toBe(
      '\uFEFFTitle\nOne & two!\nthree\na\nb\u00a0c',
    )
  })

  test.each(['<script', '<!--', '<pre', '<a ', '<head><!--', '</p', '<br', '  '])(
    'a page of nothing but %j takes no time',
    piece => {
      const start = process.cpuUsage()
      expect(exportSource(DOCUMENT_TYPE, 'text/plain', piece.repeat(200_000))).toBeTypeOf('string')
      // Takes microseconds, even on a busy machine.
      expect(process.cpuUsage(start).user).toBeLessThan(1_500_000)
    },
  )

  test('a byte order mark is not part of the text', () => {
    expect(through(DOCUMENT_TYPE, 'text/plain', 'text/plain', '\uFEFFa')).toBe('\uFEFFa')
    expect(through(DOCUMENT_TYPE, 'text/plain', 'text/html', '\uFEFFa')).not.toContain('\uFEFF')
    expect(through(SPREADSHEET_TYPE, 'text/csv', 'text/csv', '\uFEFFa\n')).toBe('a\n')
  })

  test('an empty document is an empty page', () => {
    expect(exportSource(DOCUMENT_TYPE, 'text/plain', '')).toBe('\uFEFF')
    expect(exportSource(DOCUMENT_TYPE, 'text/html', '')).toContain('<html>')
  })
})

describe('spreadsheets', () => {
  test.each([
    ['', []],
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,b', [['a', 'b']]],
    ['a,,\r\n', [['a', '', '']]],
    ['"x, ""y""\nz",2\n', [['x, "y"\nz', '2']]],
    ['\n\na\n', [[''], [''], ['a']]],
    ['a"b",c\n', [['a"b"', 'c']]],
    ['a,"b\n', [['a', 'b\n']]],
    ['a\n"', [['a'], ['']]],
  ])('rows of %j', (text, rows) => {
    expect(parseDelimited(text, ',')).toEqual(rows)
  })

  test('between delimited text and a table', () => {
    expect(through(SPREADSHEET_TYPE, 'text/csv', 'text/tab-separated-values', 'a,"b,c"\n')).toBe(
      'a\tb,c\n',
    )
    expect(through(SPREADSHEET_TYPE, 'text/tab-separated-values', 'text/csv', 'a\tb,c\n')).toBe(
      'a,"b,c"\n',
    )
    expect(through(SPREADSHEET_TYPE, 'text/csv', 'text/html', 'a,<b>\n')).toContain(
      '<tr><td>a</td><td>&lt;b&gt;</td></tr>',
    )
  })
})

test('every announced conversion works', () => {
  for (const {source, targets} of importFormats()) {
    expect(targets).toEqual([importTarget(source)])
    expect(importSource(targets[0]!, source, 'text')).toBeTypeOf('string')
  }
  for (const {source, targets} of exportFormats()) {
    expect(targets).toEqual(exportTypes(source))
    for (const target of targets) expect(exportSource(source, target, 'a')).toBeTypeOf('string')
  }
  expect(importTarget('application/pdf')).toBeUndefined()
  expect(exportTypes('text/plain')).toEqual([])
})

test.each([
  ['report.pdf', 'pdf', 'pdf'],
  ['backup.tar.gz', 'tar.gz', 'gz'],
  ['a.b.txt', 'txt', 'txt'],
  ['notes.longname.gz', 'gz', 'gz'],
  ['.profile', undefined, undefined],
  ['none', undefined, undefined],
  ['dot.', undefined, undefined],
  ['no ext. here', undefined, undefined],
])('extension of %j', (name, full, last) => {
  expect(fullExtensionOf(name)).toBe(full)
  expect(extensionOf(name)).toBe(last)
})

test.each([
  ['application/vnd.google-apps.folder', 'folder'],
  ['application/vnd.google-apps.shortcut', 'shortcut'],
  ['application/vnd.google-apps.presentation', 'editor'],
  ['application/vnd.google-apps.nonsense', undefined],
  ['image/png', 'binary'],
])('kind of %s', (type, kind) => {
  expect(kindOfType(type)).toBe(kind)
})

test('types by parameter, name and first bytes', () => {
  expect(bareType('Text/HTML; charset=utf-8')).toBe('text/html')
  expect(bareType('nonsense')).toBeUndefined()
  expect(typeByName('a.csv')).toBe('text/csv')
  expect(typeByName('a')).toBeUndefined()
  expect(typeByContent(Buffer.from('%PDF-1.7'))).toBe('application/pdf')
  expect(typeByContent(Buffer.from('hello'))).toBeUndefined()
})

test('sizes of images', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000200000001008', 'hex')
  expect(imageSize(png)).toEqual({width: 32, height: 16})
  expect(imageSize(Buffer.from('GIF89a\x03\x00\x05\x00', 'latin1'))).toEqual({width: 3, height: 5})
  const jpeg = Buffer.from('ffd8ffe000044a46ffc4000300ffc0000b080007000901', 'hex')
  expect(imageSize(jpeg)).toEqual({width: 9, height: 7})
  expect(imageSize(jpeg.subarray(0, 12))).toBeUndefined()
  expect(imageSize(Buffer.from('no image at all'))).toBeUndefined()
})

test('colors of folders', () => {
  expect(nearestFolderColor('#4986E7')).toBe('#4986e7')
  expect(nearestFolderColor('#4886e8')).toBe('#4986e7')
  expect(nearestFolderColor('blue')).toBeUndefined()
  expect(folderColorPalette).toHaveLength(24)
})

describe('the modified date', () => {
  const NOW = 1000
  const BODY = '1970-01-01T00:00:00.005Z'
  test.each([
    [undefined, undefined, BODY, true, NOW],
    [undefined, undefined, BODY, false, undefined],
    [undefined, true, BODY, false, 5],
    [undefined, true, undefined, false, NOW],
    [undefined, false, BODY, false, NOW],
    ['fromBody', undefined, BODY, false, 5],
    ['fromBodyIfNeeded', undefined, BODY, true, 5],
    ['fromBodyIfNeeded', undefined, undefined, false, undefined],
    ['fromBodyOrNow', undefined, undefined, false, NOW],
    ['noChange', true, BODY, true, undefined],
    ['now', undefined, BODY, false, NOW],
    ['nowIfNeeded', undefined, BODY, true, NOW],
    ['nowIfNeeded', undefined, BODY, false, undefined],
  ] as const)(
    '%s, setModifiedDate %s, body %s, changes %s',
    (behavior, setModifiedDate, fromBody, moves, date) => {
      expect(newModifiedDate({behavior, setModifiedDate, fromBody, moves}, NOW)).toBe(date)
    },
  )

  test.each(['fromBody', 'fromBodyIfNeeded'] as const)('%s needs a date in the body', behavior => {
    const wish = {behavior, setModifiedDate: undefined, fromBody: undefined, moves: true}
    expect(() => newModifiedDate(wish, NOW)).toThrow('Required parameter: modifiedDate')
  })
})
