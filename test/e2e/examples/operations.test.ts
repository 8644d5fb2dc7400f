import {expect} from 'vitest'
import {playExamples} from './parts.js'

const TRASH = 'trashed = true'

/** The permissions of /Reports/q3.pdf. */
const access = (permissions: {items: any[]}) =>
  permissions.items.map(({emailAddress, type, role}) => `${emailAddress ?? type} ${role}`).sort()

playExamples('operations', {
  'drv drives delete Marketing --yes': async ({ask}) =>
    expect((await ask('drives')).items).toMatchObject([{name: 'Finance'}]),
  'drv drives update Finance --name Accounts': async ({ask}) =>
    expect((await ask("drives?q=name='Accounts'")).items).toHaveLength(1),
  'drv files delete /Reports/q3.pdf --yes': async ({titles}) =>
    expect(await titles("title = 'q3.pdf'")).toEqual([]),
  'drv files empty-trash --yes': async ({titles}) => expect(await titles(TRASH)).toEqual([]),
  'drv files export /Reports/Minutes --mime-type text/html -o minutes.html': ({read}) =>
    expect(read('work/minutes.html')).toMatch(/<.*minutes/s),
  "drv files generate-ids --max-results 3 --jq '.ids[]'": ({stdout}) =>
    expect(stdout).toMatch(/^([\w-]+\n){3}$/),
  'drv files get /Archive/src.tar --output - | tar t': ({stdout}) =>
    expect(stdout).toContain('operations.test.ts'),
  'drv files get /Reports/q3.pdf --output ~/q3.pdf': ({read}) =>
    expect(read('q3.pdf')).toContain('second'),
  'drv files get /Reports/q3.pdf --output old.pdf --revision-id "$REVISION_ID"': ({read}) =>
    expect(read('work/old.pdf')).toContain('first'),
  'drv files insert report.pdf': async ({titles}) =>
    expect(await titles("title = 'report.pdf' and 'root' in parents")).toHaveLength(1),
  'tar c src | drv files insert - --title src.tar --mime-type application/x-tar': async ({
    titles,
  }) => expect(await titles("title = 'src.tar'")).toHaveLength(2),
  'drv files open /Reports': async ({read}) =>
    expect.poll(() => read('viewer.opened')).toMatch(/^http:/),
  'drv files patch /Reports/q3.pdf --add-parents /Archive --remove-parents /Reports': async ({
    ask,
  }) => expect((await ask('files/FILE_ID')).parents).toHaveLength(1),
  'drv files trash /Reports/q3.pdf': async ({titles}) =>
    expect(await titles(TRASH)).toContain('q3.pdf'),
  'drv files trash /Reports/q3.pdf --dry-run': async ({titles}) =>
    expect(await titles(TRASH)).not.toContain('q3.pdf'),
  'drv files untrash trash:/q2.pdf': async ({titles}) =>
    expect(await titles(TRASH)).not.toContain('q2.pdf'),
  'drv files update /Reports/q3.pdf report.pdf': async ({ask}) =>
    expect((await ask('files/FILE_ID/revisions')).items).toHaveLength(4),
  'drv permissions delete /Reports/q3.pdf ada@example.com --yes': async ({ask}) =>
    expect(access(await ask('files/FILE_ID/permissions'))).toEqual([
      'anyone reader',
      'me@example.com owner',
    ]),
  'drv permissions patch /Reports/q3.pdf ada@example.com --role writer': async ({ask}) =>
    expect(access(await ask('files/FILE_ID/permissions'))).toContain('ada@example.com writer'),
  'drv properties get /Reports/q3.pdf color --jq .value': ({stdout}) =>
    expect(stdout).toBe('green\n'),
  'drv revisions delete /Reports/q3.pdf "$REVISION_ID" --yes': async ({ask}) =>
    expect((await ask('files/FILE_ID/revisions')).items).toHaveLength(2),
})
