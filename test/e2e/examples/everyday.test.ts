import {expect} from 'vitest'
import {playExamples} from './parts.js'

const TRASH = 'trashed = true'

playExamples('everyday', {
  'drv push build/ /Site --delete --plan site.plan && drv apply site.plan --yes': async ({
    titles,
  }) => expect(await titles("title = 'index.html'")).toEqual(['index.html']),
  'drv cat /logs/1.log /logs/2.log > both.log': ({read}) =>
    expect(read('work/both.log')).toBe('1.log\n2.log\n'),
  'drv completion bash >> ~/.bashrc': ({read}) => expect(read('.bashrc')).toContain('complete '),
  'drv cp /Reports/q3.pdf /Archive': async ({titles}) =>
    expect(await titles("title = 'q3.pdf'")).toHaveLength(2),
  'drv du -s /Reports | cut -f 1': ({stdout}) => expect(stdout).toMatch(/^[1-9]\d+\n$/),
  'drv edit /Reports/notes.txt': async ({titles}) =>
    expect(await titles("fullText contains 'noted'")).toEqual(['notes.txt']),
  'drv find q3': ({stdout}) => expect(stdout).toMatch(/q3\.csv[^]*q3\.pdf/),
  'drv find /Archive --type pdf --format ids | drv files trash -': async ({titles}) =>
    expect(await titles(TRASH)).toContain('q1.pdf'),
  'drv ln -s /Reports/2026 /Archive/this-year': async ({titles}) =>
    expect(await titles("title = 'this-year'")).toEqual(['this-year']),
  'drv md5sum /Reports > reports.md5 && drv md5sum -c reports.md5': ({stdout}) =>
    expect(stdout).toMatch(/^(\/Reports\/.*: OK\n)+$/),
  'drv mkdir -p /Invoices/2026/May': async ({titles}) =>
    expect(await titles("title = 'May'")).toEqual(['May']),
  'drv mv /Reports/q3.pdf /Reports/q3-final.pdf': async ({ask}) =>
    expect(await ask('files/FILE_ID')).toMatchObject({title: 'q3-final.pdf'}),
  'drv find --name "q3*" --format ids | drv open -': ({read}) =>
    expect.poll(() => read('viewer.opened')).toMatch(/^http:/),
  'BROWSER=firefox drv open /Reports': ({read}) =>
    expect.poll(() => read('firefox.opened')).toMatch(/^http:/),
  'drv pull /Reports/2026 backup': ({read}) =>
    expect(read('work/backup/2026/q3.csv')).toContain('a,b'),
  'drv pull /Reports/2026/q3.csv third-quarter.csv': ({read}) =>
    expect(read('work/third-quarter.csv')).toContain('a,b'),
  'drv pull /Reports/2026/ backup/reports --follow': ({read}) =>
    expect.poll(() => read('work/backup/reports/q3.csv')).toContain('a,b'),
  'drv pull /Reports/2026 - > reports.tar': ({read}) =>
    expect(read('work/reports.tar')).toMatch(/2026\/q3\.csv[^]*a,b/),
  'drv push report.pdf /Reports/q4.pdf': async ({titles}) =>
    expect(await titles("title = 'q4.pdf'")).toEqual(['q4.pdf']),
  'date | drv push - /Reports/date.txt': async ({titles}) =>
    expect(await titles("mimeType = 'text/plain' and title contains 'date'")).toEqual(['date.txt']),
  'drv push photos /Archive': async ({titles}) =>
    expect(await titles("title contains '.jpg'")).toEqual(['cat.jpg', 'dog.jpg', 'old.jpg']),
  'drv push photos/ /Archive/photos --delete --yes': async ({titles}) =>
    expect(await titles(TRASH)).toContain('old.jpg'),
  'drv push photos/ /Archive/photos --follow': async ({titles}) =>
    expect(await titles("title = 'cat.jpg'")).toEqual(['cat.jpg']),
  'drv rename /Reports/q3.pdf q3-final.pdf': async ({ask}) =>
    expect(await ask('files/FILE_ID')).toMatchObject({title: 'q3-final.pdf'}),
  'drv restore /q2.pdf': async ({titles}) => expect(await titles(TRASH)).not.toContain('q2.pdf'),
  'drv restore /Reports/q3.pdf --revision head~1': async ({ask}) =>
    expect((await ask('files/FILE_ID/revisions')).items).toHaveLength(4),
  'drv rm /Reports/q3.pdf': async ({titles}) => expect(await titles(TRASH)).toContain('q3.pdf'),
  'drv rm trash:/q2.pdf --permanently --yes': async ({titles}) =>
    expect(await titles("title = 'q2.pdf'")).toEqual([]),
  'drv find /logs --format ids | drv rm -': async ({titles}) =>
    expect(await titles(TRASH)).toEqual(expect.arrayContaining(['1.log', '2.log'])),
  'drv share --from team.csv': async ({ask}) =>
    expect(JSON.stringify(await ask('files/FILE_ID/permissions'))).toContain('ben@example.com'),
  'drv star /Reports/q3.pdf': async ({titles}) =>
    expect(await titles('starred = true')).toEqual(['q3.pdf']),
  'drv stat "$FILE_ID" --columns path': ({stdout}) => expect(stdout).toBe('/Reports/q3.pdf\n'),
  'drv touch /Reports/todo.txt': async ({titles}) =>
    expect(await titles("title = 'todo.txt'")).toEqual(['todo.txt']),
  'drv tree /Reports': ({stdout}) => expect(stdout).toContain('q3.csv'),
  'drv unshare /Reports/q3.pdf ada@example.com': async ({ask}) =>
    expect(JSON.stringify(await ask('files/FILE_ID/permissions'))).not.toContain('ada@example.com'),
  'drv unshare shared:/plan.txt me@example.com --yes': async ({titles}) =>
    expect(await titles("title = 'plan.txt'")).toEqual([]),
  'drv url /Reports/q3.pdf | pbcopy': ({read}) => expect(read('copied')).toMatch(/^http:/),
})
