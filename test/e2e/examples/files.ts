import {hash} from 'node:crypto'
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {HEAD, planText} from '../../support/plan.js'

/** The files in the working directory of an example. */

/** A URL that accepts every notification about changes. */
export const heard: typeof fetch = () => Promise.resolve(new Response())

/** The description of another service, at `rootUrl`. */
const shelf = (rootUrl: string, more = {}) => ({
  kind: 'discovery#restDescription',
  name: 'shelf',
  version: 'v1',
  id: 'shelf:v1',
  title: 'Shelf',
  description: 'Books on a shelf.',
  protocol: 'rest',
  rootUrl,
  servicePath: '',
  batchPath: 'batch',
  schemas: {
    Books: {
      id: 'Books',
      type: 'object',
      properties: {items: {type: 'array', items: {$ref: 'Book'}}},
    },
    Book: {id: 'Book', type: 'object', properties: {title: {type: 'string'}}},
  },
  resources: {
    books: {
      methods: {
        list: {
          id: 'shelf.books.list',
          path: 'books',
          httpMethod: 'GET',
          description: 'Lists the books.',
          response: {$ref: 'Books'},
        },
        ...more,
      },
    },
  },
})

const COUNT = {
  count: {
    id: 'shelf.books.count',
    path: 'books/count',
    httpMethod: 'GET',
    description: 'Counts the books.',
  },
}

const PAGE = '<p>Hello</p>\n'

/** A plan for the service that uploads a page, with the local paths of `root`. */
const plan = (service: string, root: string) =>
  planText({...HEAD, service, root}, [
    {
      ...{key: '1', action: 'upload', label: 'index.html', effect: 'changes'},
      ...{operation: 'files.insert', params: {}, body: {title: 'index.html'}},
      local: {path: 'build/index.html', size: PAGE.length, md5: hash('md5', PAGE)},
    },
  ])

/**
 * Writes them into a folder. `service` is the URL of the service of the examples, `books` that of the other one,
 * `token` a personal access token.
 */
export function layOut(
  folder: string,
  {service, books, token}: {service: string; books: string; token: string},
): void {
  const files = {
    'report.pdf': '%PDF-1.4\nthird\n',
    'photos/cat.jpg': 'cat\n',
    'photos/2026/dog.jpg': 'dog\n',
    'src/main.c': 'int main(void) { return 0; }\n',
    'team.csv':
      'file,who,role\n/Reports/q3.pdf,ben@example.com,reader\n/Archive,ada@example.com,writer\n',
    'labels.json': JSON.stringify({labelModifications: [{labelId: 'urgent'}]}),
    'faults.json': JSON.stringify({
      rules: [{operations: 'files.list', fault: 'status', status: 503, calls: [1]}],
    }),
    'seed.yaml': 'users:\n  - login: ada\n    files: [{title: plan.txt, text: plan}]\n',
    'script.sh': 'drv files list --json > list.json\n',
    'token.txt': `${token}\n`,
    'books.json': JSON.stringify(shelf(books)),
    'released.json': JSON.stringify(shelf(books)),
    'build/index.html': PAGE,
    'site.plan': plan(service, folder),
    'out/1.done': `${JSON.stringify({checkpoint: {plan: HEAD.id}})}\n`,
    'next.json': JSON.stringify(shelf(books, COUNT)),
  }
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), {recursive: true})
    writeFileSync(path, content)
    // Other users must not be able to write a plan.
    chmodSync(path, 0o644)
  }
}
