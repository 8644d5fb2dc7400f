import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {type ScopeName, scopes} from '#lib/api/description/scopes.js'
import type {Selection} from '#lib/api/fields.js'
import {operation, type OperationId} from '#lib/api/operations.js'
import {parameterValue} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Call, Handler} from '#lib/service/call.js'
import {runAllSlices, type Slices} from '#lib/service/store/database/slices.js'
import {indexFile} from '#lib/service/store/files/fulltext.js'
import {addRevision, putBlob} from '#lib/service/store/files/revisions.js'
import {searchWords, titleSortKey} from '#lib/service/store/files/words.js'
import {openStore, type Store} from '#lib/service/store/index.js'
import {ensureUser, type User} from '#lib/service/store/users.js'

/** Calls handlers like the dispatcher, with a separate store. */

export const NOW = Date.UTC(2026, 10, 21, 9, 30)

export interface Bench {
  readonly store: Store
  /** Unix ms; set it to change the time. */
  now: number
  user(login?: string): User
  /** Calls a handler; parameters are text as in a URL. */
  call<Id extends OperationId>(
    handler: Handler<Id>,
    id: Id,
    params?: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): any
  file(facts?: FileFacts): string
  folder(facts?: FileFacts): string
  /** Adds new content to a file. Returns the revision ID. */
  content(fileId: string, text: string, facts?: {mimeType?: string; pinned?: boolean}): string
  close(): void
}

export interface CallOptions {
  readonly login?: string
  readonly scopes?: readonly ScopeName[]
  readonly clientId?: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly fields?: Selection
}

/** The columns of a file of the bench. */
export interface FileFacts {
  readonly id?: string
  readonly title?: string
  readonly type?: string
  readonly owner?: string | null
  readonly parent?: string
  readonly drive?: string
  readonly clientId?: string
  readonly space?: string
  readonly inherits?: boolean
  readonly createdAt?: number
  readonly modifiedAt?: number
  readonly trashed?: boolean
  readonly quota?: number
  readonly target?: string
}

export function openBench(): Bench {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const store = openStore(directory)
  // The store does not need to survive the test.
  store.all('PRAGMA synchronous = OFF')
  let count = 0
  const bench: Bench = {
    store,
    now: NOW,
    user: (login = 'local') => ensureUser(store, login, NOW),

    call(handler, id, params = {}, options = {}) {
      const described = operation(id)
      const defaults = Object.entries(described.parameters).flatMap(([name, schema]) =>
        schema.default === undefined
          ? []
          : [[name, parameterValue(schema, schema.default)] as const],
      )
      const given = Object.entries(params).map(
        ([name, text]) => [name, parameterValue(described.parameters[name]!, text)] as const,
      )
      const later: (() => void)[] = []
      const answer = store.write(() => {
        const slices: Slices[] = []
        const result = handler({
          user: bench.user(options.login),
          tokenId: 1,
          clientId: options.clientId,
          scopes: new Set(scopes(...(options.scopes ?? ['drive', 'drive.appdata']))),
          operation: described,
          params: Object.fromEntries([...defaults, ...given]),
          given: Object.keys(params),
          common: {},
          body: options.body ?? {},
          fields: options.fields,
          alt: 'json',
          headers: {},
          origin: 'http://127.0.0.1:8080',
          store,
          now: bench.now,
          afterCommit: (work: () => void) => later.push(work),
          inSlices: (work: Slices) => slices.push(work),
        } as unknown as Call<typeof id>)
        for (const work of slices) runAllSlices(work)
        return result
      })
      for (const work of later) work()
      return answer
    },

    file(facts = {}) {
      const owner = facts.owner === null ? null : bench.user(facts.owner)
      const {id = `file-${String(++count).padStart(4, '0')}`, title = id} = facts
      store.run(
        `INSERT INTO files (id, drive_id, owner_id, space, client_id, parent_id, inherits, title,
           title_key, title_words, mime_type, created_at, modified_at, trashed, quota_bytes,
           shortcut_target_id)
         VALUES (:id, :drive, :owner, :space, :clientId, :parent, :inherits, :title, :key, :words,
           :type, :createdAt, :modifiedAt, :trashed, :quota, :target)`,
        {
          id,
          drive: facts.drive ?? null,
          owner: owner?.id ?? null,
          space: facts.space ?? 'drive',
          clientId: facts.clientId ?? null,
          parent: facts.parent ?? facts.drive ?? owner?.root_id ?? null,
          inherits: Number(facts.inherits ?? true),
          title,
          key: titleSortKey(title),
          words: searchWords(title),
          type: facts.type ?? 'text/plain',
          createdAt: facts.createdAt ?? NOW,
          modifiedAt: facts.modifiedAt ?? NOW,
          trashed: Number(facts.trashed ?? false),
          quota: facts.quota ?? 0,
          target: facts.target ?? null,
        },
      )
      return id
    },

    folder: facts => bench.file({type: FOLDER_TYPE, ...facts}),

    content(fileId, text, {mimeType = 'text/plain', pinned = false} = {}) {
      const blob = putBlob(store, bench.now, Buffer.from(text))
      const later: (() => void)[] = []
      const context = {
        store,
        now: bench.now,
        user: bench.user(),
        afterCommit: (w: () => void) => later.push(w),
      }
      const content = {blobId: blob.id, mimeType, originalFilename: fileId, pinned}
      const id = store.write(() => addRevision(context, fileId, content))
      indexFile(store, fileId, {content: text})
      for (const work of later) work()
      return id
    },

    close() {
      store.close()
      rmSync(directory, {recursive: true, force: true})
    },
  }
  bench.user()
  return bench
}

/** Grants a user, or everyone, a permission on an item. */
export function grant(
  {store, user}: Bench,
  fileId: string,
  to: {login: string} | {domain: string; withLink?: boolean} | {anyone: 'find' | 'link'},
  role = 'reader',
): void {
  const row =
    'login' in to
      ? {
          id: user(to.login).permission_id,
          type: 'user',
          email: user(to.login).email,
          domain: null,
          link: 0,
        }
      : 'domain' in to
        ? {
            id: `domain-${to.domain}`,
            type: 'domain',
            email: null,
            domain: to.domain,
            link: Number(to.withLink ?? false),
          }
        : {
            id: 'anyone',
            type: 'anyone',
            email: null,
            domain: null,
            link: Number(to.anyone === 'link'),
          }
  store.run(
    `INSERT INTO permissions (file_id, id, type, role, email, domain, with_link)
     VALUES (:fileId, :id, :type, :role, :email, :domain, :link)`,
    {fileId, role, ...row},
  )
}
