import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {searchHandlers} from '#lib/service/handlers/files.js'
import {type Bench, type CallOptions, grant, NOW, openBench} from './calls.js'

let bench: Bench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

const list = (params: Record<string, string> = {}, options?: CallOptions) =>
  bench.call(searchHandlers['files.list'], 'files.list', params, options)
const children = (params: Record<string, string>, options?: CallOptions) =>
  bench.call(searchHandlers['children.list'], 'children.list', params, options)
const ids = (answer: {items: {id: string}[]}): string[] => answer.items.map(({id}) => id)
const sorted = (answer: {items: {id: string}[]}): string[] => ids(answer).sort()

/** All pages of a list. `between` runs before each page except the first. */
function pages(
  read: (params: Record<string, string>) => any,
  params: Record<string, string>,
  between: (page: number) => void = () => {},
): string[][] {
  const found: string[][] = []
  for (let pageToken: string | undefined = ''; pageToken !== undefined;) {
    if (found.length > 0) between(found.length)
    if (found.length > 100) throw new Error('The pages never end.')
    const page = read({...params, ...(pageToken !== '' && {pageToken})})
    found.push(ids(page))
    pageToken = page.nextPageToken
  }
  return found
}

/** A shared drive with members. */
function drive(id: string, members: readonly string[]): string {
  bench.store.run(
    `INSERT INTO drives (id, name, created_at, creator_id, request_id, color_rgb)
     VALUES (:id, :id, :now, :creator, :id, '#000000')`,
    {id, now: NOW, creator: bench.user().id},
  )
  bench.folder({id, drive: id, owner: null, parent: id})
  bench.store.run('UPDATE files SET parent_id = NULL WHERE id = :id', {id})
  for (const login of members) grant(bench, id, {login}, 'organizer')
  return id
}

function seen(fileId: string, login: string, facts: Record<string, number>): void {
  bench.store.run(
    `INSERT INTO user_files (user_id, file_id, viewed_at, modified_at, shared_at, starred)
     VALUES (:user, :fileId, :viewed, :modified, :shared, :starred)`,
    {
      user: bench.user(login).id,
      fileId,
      viewed: facts.viewed ?? null,
      modified: facts.modified ?? null,
      shared: facts.shared ?? null,
      starred: facts.starred ?? 0,
    },
  )
}

describe('the files searched by files.list', () => {
  beforeEach(() => {
    const shared = bench.folder({id: 'shared'})
    bench.file({id: 'inside', parent: shared})
    bench.file({id: 'closed', parent: shared, inherits: false})
    bench.file({id: 'gift', parent: shared, owner: 'ann'})
    bench.file({id: 'private'})
    bench.file({id: 'linked'})
    bench.file({id: 'public'})
    bench.file({id: 'domain'})
    bench.file({id: 'domainLink'})
    grant(bench, shared, {login: 'bob'})
    grant(bench, 'linked', {anyone: 'link'})
    grant(bench, 'public', {anyone: 'find'})
    grant(bench, 'domain', {domain: 'example.com'})
    grant(bench, 'domainLink', {domain: 'example.com', withLink: true})
    drive('0Adrive', ['local', 'bob'])
    bench.file({id: 'common', drive: '0Adrive', owner: null})
    drive('0Aother', ['local'])
    bench.file({id: 'lent', drive: '0Aother', owner: null})
    grant(bench, 'lent', {login: 'bob'})
  })

  const both = {includeItemsFromAllDrives: 'true', supportsAllDrives: 'true'}
  const mine = [
    'closed',
    'domain',
    'domainLink',
    'gift',
    'inside',
    'linked',
    'private',
    'public',
    'shared',
  ]

  test.each<[string, Record<string, string>, string[]]>([
    ['local', {}, mine],
    ['local', both, ['common', 'lent', ...mine].sort()],
    ['ann', {}, ['domain', 'gift', 'public']],
    ['bob', {}, ['domain', 'gift', 'inside', 'public', 'shared']],
    ['bob', {corpora: 'user'}, ['domain', 'gift', 'inside', 'public', 'shared']],
    ['bob', both, ['common', 'domain', 'gift', 'inside', 'lent', 'public', 'shared']],
    [
      'bob',
      {...both, corpora: 'allDrives'},
      ['common', 'domain', 'gift', 'inside', 'lent', 'public', 'shared'],
    ],
    [
      'bob',
      {includeTeamDriveItems: 'true', supportsTeamDrives: 'true', q: "title = 'lent'"},
      ['lent'],
    ],
    ['bob', {...both, corpora: 'drive', driveId: '0Adrive'}, ['common']],
    ['bob', {...both, corpora: 'drive', teamDriveId: '0Adrive'}, ['common']],
    [
      'bob',
      {
        corpora: 'teamDrive',
        teamDriveId: '0Adrive',
        includeTeamDriveItems: 'true',
        supportsTeamDrives: 'true',
      },
      ['common'],
    ],
    [
      'bob',
      {...both, corpora: 'allTeamDrives'},
      ['common', 'domain', 'gift', 'inside', 'lent', 'public', 'shared'],
    ],
    ['local', {q: "'Root' in parents and title = 'private'"}, ['private']],
    ['local', {q: "not 'ROOT' in parents and title = 'private'"}, []],
    ['bob', {...both, corpora: 'drive', driveId: '0Adrive', q: "'0Adrive' in parents"}, ['common']],
    ['bob', {corpora: 'domain'}, ['domain']],
    ['bob', {corpus: 'DOMAIN'}, ['domain']],
    ['bob', {corpus: 'DEFAULT', q: "title = 'gift'"}, ['gift']],
    ['local', {spaces: 'photos'}, []],
    ['local', {spaces: 'drive, photos', q: "title = 'gift'"}, ['gift']],
  ])('%s %j', (login, params, found) => {
    const answer = list(params, {login})
    expect(sorted(answer)).toEqual(found)
    expect(answer.incompleteSearch).toBe(false)
  })

  test('files open to anyone with the link are found by users who have opened them', () => {
    expect(ids(list({q: "title = 'linked'"}, {login: 'bob'}))).toEqual([])
    seen('linked', 'bob', {viewed: NOW})
    expect(ids(list({q: "title = 'linked'"}, {login: 'bob'}))).toEqual(['linked'])
  })

  test('only its owner finds files in the trash of My Drive', () => {
    bench.store.run("UPDATE files SET trashed = 1 WHERE id IN ('shared', 'common')")
    expect(ids(list({q: 'trashed'}))).toContain('shared')
    expect(ids(list({...both, q: 'trashed'}, {login: 'bob'}))).toEqual(['common'])
    bench.folder({id: 'open'})
    bench.file({id: 'gone', parent: 'open', trashed: true})
    grant(bench, 'open', {login: 'bob'})
    expect(ids(children({folderId: 'open'}))).toEqual(['gone'])
    expect(ids(children({folderId: 'open'}, {login: 'bob'}))).toEqual([])
  })

  test('an expired permission grants nothing', () => {
    bench.store.run('UPDATE permissions SET expires_at = :at WHERE file_id = :id', {
      at: NOW + 1000,
      id: 'shared',
    })
    expect(sorted(list({}, {login: 'bob'}))).toContain('inside')
    bench.now = NOW + 1000
    expect(sorted(list({}, {login: 'bob'}))).toEqual(['domain', 'public'])
  })

  test.each<[Record<string, string>, number, string, string]>([
    [{corpora: 'everything'}, 400, 'invalid', 'corpora'],
    [{corpora: 'drive', ...both}, 400, 'invalid', 'corpora'],
    [{driveId: '0Adrive', ...both}, 400, 'invalid', 'driveId'],
    [
      {corpora: 'drive', driveId: '0Adrive'},
      403,
      'teamDriveSupportRequired',
      'includeItemsFromAllDrives',
    ],
    [{corpora: 'allDrives'}, 403, 'teamDriveSupportRequired', 'includeItemsFromAllDrives'],
    [{corpora: 'allTeamDrives'}, 403, 'teamDriveSupportRequired', 'includeItemsFromAllDrives'],
    [{corpora: 'teamDrive', ...both}, 400, 'invalid', 'corpora'],
    [{includeItemsFromAllDrives: 'true'}, 403, 'teamDriveSupportRequired', 'supportsAllDrives'],
    [{corpora: 'drive', driveId: '0Aother', ...both}, 404, 'notFound', 'driveId'],
    [{corpora: 'drive', driveId: 'shared', ...both}, 404, 'notFound', 'driveId'],
    [{spaces: 'attic'}, 400, 'invalid', 'spaces'],
    [{orderBy: 'size'}, 400, 'invalid', 'orderBy'],
    [{orderBy: 'title asc'}, 400, 'invalid', 'orderBy'],
    [{orderBy: 'title,,folder'}, 400, 'invalid', 'orderBy'],
    [{orderBy: 'title', q: "not fullText contains 'x'"}, 400, 'badRequest', 'orderBy'],
    [{pageToken: 'garbage'}, 400, 'invalid', 'pageToken'],
  ])('refuses %j', (params, status, reason, location) => {
    expect(() => list(params, {login: 'bob'})).toThrow(
      expect.objectContaining({status, detail: expect.objectContaining({reason, location})}),
    )
  })

  test('a token for the files of its app finds only those', () => {
    bench.file({id: 'made', clientId: 'app'})
    bench.file({id: 'foreign', clientId: 'other'})
    const options: CallOptions = {scopes: ['drive.file'], clientId: 'app'}
    expect(ids(list({}, options))).toEqual(['made'])
    expect(ids(children({folderId: 'root'}, options))).toEqual(['made'])
    expect(ids(list({q: "title = 'made' or title = 'foreign'"}, options))).toEqual(['made'])
  })

  test("an app's hidden folder is visible only to it", () => {
    const hidden = bench.folder({id: 'hidden', space: 'appDataFolder', clientId: 'app'})
    bench.store.run('UPDATE files SET parent_id = NULL WHERE id = :hidden', {hidden})
    bench.file({id: 'setting', space: 'appDataFolder', clientId: 'app', parent: hidden})
    const options: CallOptions = {scopes: ['drive', 'drive.appdata'], clientId: 'app'}
    const spaces = 'appDataFolder'
    expect(ids(list({spaces}, options))).toEqual(['setting'])
    expect(ids(list({spaces, q: "'appDataFolder' in parents"}, options))).toEqual(['setting'])
    expect(ids(list({spaces}, {...options, clientId: 'other'}))).toEqual([])
    expect(ids(list({q: "title = 'setting'"}, options))).toEqual([])
    expect(ids(children({folderId: 'appDataFolder'}, options))).toEqual(['setting'])
    for (const scope of ['drive', 'drive.appdata'] as const) {
      const wrong: Record<string, string> = scope === 'drive' ? {spaces} : {}
      expect(() => list(wrong, {...options, scopes: [scope]})).toThrow(
        expect.objectContaining({status: 403}),
      )
    }
  })

  test('each file has the role of the caller', () => {
    const rights = new Map(
      list({}, {login: 'bob'}).items.map((item: {id: string; editable: boolean}) => [
        item.id,
        item.editable,
      ]),
    )
    expect(rights.get('inside')).toBe(false)
    const own = list({q: "title = 'gift'"}, {login: 'ann'}).items[0]
    expect([own.editable, own.ownedByMe]).toEqual([true, true])
    const above = list({q: "title = 'gift'"}).items[0]
    expect([above.editable, above.ownedByMe]).toEqual([true, false])
  })
})

describe('orderBy', () => {
  beforeEach(() => {
    const at = (days: number) => NOW - days * 1000
    bench.file({id: 'a', title: 'File 10', createdAt: at(1), modifiedAt: at(5), quota: 3})
    bench.file({id: 'b', title: 'file 9', createdAt: at(3), modifiedAt: at(4), quota: 1})
    bench.folder({id: 'c', title: 'Ärger', createdAt: at(2), modifiedAt: at(4)})
    bench.folder({id: 'd', title: 'file 010', createdAt: at(4), modifiedAt: at(9), quota: 2})
    seen('a', 'local', {viewed: at(8), modified: at(7), starred: 1})
    seen('b', 'local', {viewed: at(0), modified: at(9), shared: at(6)})
  })

  test.each([
    ['', 'b c a d'],
    ['modifiedDate', 'd a b c'],
    ['modifiedDate desc', 'b c a d'],
    ['createdDate', 'd b c a'],
    ['createdDate DESC', 'a c b d'],
    ['folder,title', 'd c a b'],
    ['folder desc,title desc', 'b a c d'],
    ['title', 'd a b c'],
    ['title_natural', 'b d a c'],
    ['title_natural desc', 'c a d b'],
    ['quotaBytesUsed desc', 'a d b c'],
    ['lastViewedByMeDate desc, title', 'b a d c'],
    ['lastViewedByMeDate,title', 'd c a b'],
    ['modifiedByMeDate desc,title', 'a b d c'],
    ['sharedWithMeDate desc,title', 'b d a c'],
    ['starred desc,title', 'a d b c'],
    ['recency desc', 'b a c d'],
  ])('%s', (orderBy, order) => {
    const params: Record<string, string> = orderBy === '' ? {} : {orderBy}
    expect(ids(list(params)).join(' ')).toBe(order)
    // The order is the same for every page size.
    for (const maxResults of ['1', '2', '3']) {
      expect(
        pages(list, {...params, maxResults})
          .flat()
          .join(' '),
      ).toBe(order)
    }
  })

  test('a full-text search sorts matches in the title first', () => {
    bench.file({id: 'e', title: 'fox and hound', modifiedAt: NOW - 1e9})
    bench.file({id: 'f', title: 'fox', modifiedAt: NOW - 2e9})
    bench.content('a', 'a fox and a hound')
    const q = "fullText contains 'fox' or fullText contains 'hound'"
    expect(pages(list, {q, maxResults: '1'}).flat()).toEqual(['e', 'f', 'a'])
  })
})

describe('pages', () => {
  const make = (count: number) =>
    Array.from({length: count}, (_, index) =>
      bench.file({title: `t${index % 3}`, modifiedAt: NOW - (index % 4) * 1000}),
    )

  test('end with the last file, never with an empty page', () => {
    make(6)
    expect(pages(list, {maxResults: '3'}).map(page => page.length)).toEqual([3, 3])
    expect(list({maxResults: '6'}).nextPageToken).toBeUndefined()
  })

  test.each(['modifiedDate desc', 'title,modifiedDate', 'folder,title desc,createdDate'])(
    'nothing is lost or duplicated while files are added and deleted: %s',
    orderBy => {
      const before = make(40)
      const removed = new Set<string>()
      const found = pages(list, {orderBy, maxResults: '7'}, page => {
        bench.file({id: `new-${page}`, title: 't1', modifiedAt: NOW - 1000})
        const gone = before[(page * 11) % before.length]!
        removed.add(gone)
        bench.store.run('DELETE FROM files WHERE id = :gone', {gone})
      }).flat()
      expect(new Set(found).size).toBe(found.length)
      const stayed = before.filter(id => !removed.has(id))
      expect(stayed.filter(id => !found.includes(id))).toEqual([])
    },
  )

  test('the last file of a page may be deleted before the next request', () => {
    const all = make(9)
    let last = ''
    const read = (params: Record<string, string>) => {
      const page = list(params)
      last = ids(page).at(-1)!
      return page
    }
    const found = pages(read, {orderBy: 'createdDate', maxResults: '2'}, () => {
      bench.store.run('DELETE FROM files WHERE id = :last', {last})
    })
    expect(found.flat()).toEqual(all)
  })

  test('a page of size 0 reports that there are more', () => {
    expect(list({maxResults: '0'})).toMatchObject({items: []})
    expect(list({maxResults: '0'}).nextPageToken).toBeUndefined()
    const [first, second] = make(2)
    const empty = list({maxResults: '0', orderBy: 'createdDate'})
    expect(empty.items).toEqual([])
    const {nextPageToken: pageToken} = empty
    expect(ids(list({orderBy: 'createdDate', pageToken}))).toEqual([first, second])
    const one = list({orderBy: 'createdDate', maxResults: '1'})
    const none = list({orderBy: 'createdDate', maxResults: '0', pageToken: one.nextPageToken})
    expect(ids(list({orderBy: 'createdDate', pageToken: none.nextPageToken}))).toEqual([second])
  })

  test('a token is valid only with the same query', () => {
    make(3)
    const {nextPageToken: pageToken} = list({maxResults: '1', q: 'trashed = false'})
    expect(ids(list({maxResults: '2', q: 'trashed = false', pageToken}))).toHaveLength(2)
    const others: [Record<string, string>, CallOptions?][] = [
      [{}],
      [{q: 'trashed = false', orderBy: 'title'}],
      [{q: 'trashed = false', spaces: 'photos'}],
      [{q: 'trashed = false'}, {login: 'bob'}],
    ]
    for (const [params, options] of others) {
      expect(() => list({...params, pageToken}, options)).toThrow('Invalid Value')
    }
    const forged = (position: unknown) => {
      const [binding] = JSON.parse(Buffer.from(pageToken, 'base64url').toString())
      return Buffer.from(JSON.stringify([binding, position])).toString('base64url')
    }
    for (const position of [[], ['a'], [1, 'a', 2], [{}, 'a'], [null, 'a'], {}, 'x', 5]) {
      expect(() => list({q: 'trashed = false', pageToken: forged(position)})).toThrow(
        'Invalid Value',
      )
    }
  })

  test('links contain the query', () => {
    make(3)
    const page = list({maxResults: '1', q: "title != 'ä&b'"})
    const self = new URL(page.selfLink)
    const next = new URL(page.nextLink)
    expect(self.origin + self.pathname).toBe('http://127.0.0.1:8080/drive/v2/files')
    expect(Object.fromEntries(self.searchParams)).toEqual({maxResults: '1', q: "title != 'ä&b'"})
    expect(Object.fromEntries(next.searchParams)).toEqual({
      maxResults: '1',
      q: "title != 'ä&b'",
      pageToken: page.nextPageToken,
    })
  })

  test('the ETag of a list changes with its entries', () => {
    const [first] = make(2)
    const {etag} = list()
    expect(list().etag).toBe(etag)
    bench.store.run('UPDATE files SET version = version + 1 WHERE id = :first', {first: first!})
    expect(list().etag).not.toBe(etag)
  })
})

describe('children.list', () => {
  beforeEach(() => {
    const folder = bench.folder({id: 'folder'})
    bench.file({id: 'one', parent: folder, title: 'b'})
    bench.file({id: 'two', parent: folder, title: 'a', trashed: true})
    bench.file({id: 'closed', parent: folder, title: 'c', inherits: false})
    bench.file({id: 'elsewhere'})
    grant(bench, folder, {login: 'bob'})
    grant(bench, folder, {anyone: 'link'})
  })

  test.each<[Record<string, string>, string, string[]]>([
    [{folderId: 'folder', orderBy: 'title'}, 'local', ['two', 'one', 'closed']],
    [{folderId: 'folder', orderBy: 'title desc'}, 'bob', ['one']],
    [{folderId: 'folder', q: 'trashed = false'}, 'ann', ['one']],
    [{folderId: 'root', orderBy: 'title'}, 'local', ['elsewhere', 'folder']],
    [{folderId: 'one'}, 'local', []],
  ])('%j as %s', (params, login, found) => {
    expect(ids(children(params, {login}))).toEqual(found)
  })

  test('records, links and pages', () => {
    const params = {folderId: 'folder', orderBy: 'title', maxResults: '2'}
    const page = children(params)
    expect(page.kind).toBe('drive#childList')
    expect(page.items[0]).toEqual({
      kind: 'drive#childReference',
      id: 'two',
      selfLink: 'http://127.0.0.1:8080/drive/v2/files/folder/children/two',
      childLink: 'http://127.0.0.1:8080/drive/v2/files/two',
    })
    expect(page.nextLink).toContain('/drive/v2/files/folder/children?')
    expect(pages(children, params)).toEqual([['two', 'one'], ['closed']])
    expect(() => children({folderId: 'root', pageToken: page.nextPageToken})).toThrow(
      'Invalid Value',
    )
  })

  test.each(['secret', 'nowhere'])('an invisible folder does not exist: %s', folderId => {
    bench.folder({id: 'secret'})
    expect(() => children({folderId}, {login: 'bob'})).toThrow(
      expect.objectContaining({
        status: 404,
        detail: expect.objectContaining({reason: 'notFound', location: 'folderId'}),
      }),
    )
  })
})
