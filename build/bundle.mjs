// Makes dist/drv.cjs: drv and oclif in one file, of which a command runs only what it needs;
// dist/start.cjs, which runs that file; dist/tab.cjs, which tells shells what completes a line; and
// dist/keychain.cjs, which drv starts to ask the keychain.
import {readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {basename, dirname, join, resolve, sep} from 'node:path'
import {build} from 'esbuild'

const file = 'dist/drv.cjs'
const {dependencies} = JSON.parse(readFileSync('package.json', 'utf8'))

/** Whether something is loaded from a package of its own, or from a file of one, when it is needed. */
const isPackage = path =>
  Object.keys(dependencies).some(name => path === name || path.startsWith(`${name}/`))

const own = readdirSync('src/commands', {recursive: true})
  .filter(path => path.endsWith('.ts'))
  .map(path => [path.slice(0, -'.ts'.length).split(sep).join(':'), `./src/commands/${path}`])

const getters = own.map(
  ([id, path]) =>
    `get '${id}'() { return loading('${id}', require('${path.split(sep).join('/')}').default) },`,
)
const entry = `
import {start as startWith} from './src/lib/cli/start.ts'
export const loaded = new Set()
const loading = (id, command) => {
  loaded.add(id)
  return command
}
export const commands = {${getters.join('\n')}}
export const unknownCommand = given => require('./src/lib/cli/help/unknown-command.ts').default(given)
export const ask = given => {
  loaded.add('__complete')
  return require('./src/lib/cli/completion/ask.ts').requestListing(given)
}
export const start = () => startWith(__filename, commands)`

const isOwn = importer => !importer.includes(`${sep}node_modules${sep}`)

/**
 * Has the import of a package become a `require` that keeps the package's own default export, which
 * esbuild takes to be the whole package otherwise. Code from a code cache cannot `import()` in Node 20.
 * What is bundled of others brings its own, of other versions perhaps.
 */
const ownDefaults = {
  name: 'own defaults',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^[^.]/, namespace: 'file'}, ({path, importer, kind}) => {
      if (!isPackage(path) || !isOwn(importer)) return undefined
      return kind === 'require-resolve' ? {path, external: true} : {path, namespace: 'package'}
    })
    onResolve({filter: /^[^.]/, namespace: 'package'}, ({path}) => ({path, external: true}))
    onLoad({filter: /./, namespace: 'package'}, ({path}) => ({
      contents: `export * from '${path}'; export {default} from '${path}'`,
    }))
  },
}

/** Has functions of packages that hardly any run needs load their package when they are called. */
const LATE = {'csv-parse/sync': 'parse', 'csv-stringify/sync': 'stringify'}
const latePackages = {
  name: 'late packages',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^csv-/, namespace: 'late'}, ({path}) => ({path, external: true}))
    onResolve({filter: /^csv-/, namespace: 'file'}, ({path, kind}) =>
      kind === 'import-statement' && path in LATE ? {path, namespace: 'late'} : undefined,
    )
    onLoad({filter: /./, namespace: 'late'}, ({path}) => ({
      contents: `export const ${LATE[path]} = (...given) => require('${path}').${LATE[path]}(...given)`,
    }))
  },
}

/** Has `import text from './file?raw'` give the text of a file, as vite does. */
const rawText = {
  name: 'raw text',
  setup({onResolve, onLoad}) {
    onResolve({filter: /\?raw$/}, ({path, resolveDir}) => ({
      path: resolve(resolveDir, path.slice(0, -'?raw'.length)),
      namespace: 'raw',
    }))
    onLoad({filter: /./, namespace: 'raw'}, ({path}) => ({
      contents: readFileSync(path, 'utf8'),
      loader: 'text',
    }))
  },
}

/** Leaves out of oclif's core what drv has no use for, and loads when it is used what is hardly ever used. */
const leanCore = {
  name: 'lean core',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^@oclif\/core$/}, ({importer}) =>
      isOwn(importer) ? {path: resolve('build/lean/core.mjs')} : undefined,
    )
    const isCore = importer => importer.includes(join('@oclif', 'core', 'lib'))
    onResolve({filter: /^\.\.?\/help(\/index)?$/}, ({importer}) =>
      isCore(importer) && basename(dirname(importer)) !== 'parser'
        ? {path: resolve('build/lean/help.cjs')}
        : undefined,
    )
    onResolve({filter: /^\.\.\/util\/os$/}, ({importer}) =>
      isCore(importer) ? {path: resolve('build/lean/os.cjs')} : undefined,
    )
    onResolve({filter: /^(ejs|node:perf_hooks|node:readline)$/}, ({path, importer}) =>
      isCore(importer) ? {path, namespace: 'lazy'} : undefined,
    )
    onLoad({filter: /./, namespace: 'lazy'}, ({path}) => ({
      contents: `module.exports = new Proxy({}, {
        get: (_, name) => (name === '__esModule' ? undefined : require('${path}')[name]),
      })`,
      resolveDir: resolve('.'),
    }))
    // Only the spinner needs other packages, and drv has one of its own.
    onResolve({filter: /^\.\/action\/spinner$/}, ({importer, resolveDir}) =>
      isCore(importer) ? {path: join(resolveDir, 'action/simple.js')} : undefined,
    )
  },
}

const UNUSED = ['http2-wrapper', 'minimatch', 'tinyglobby', 'lilconfig']

rmSync('dist', {recursive: true, force: true})
const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  supported: {'dynamic-import': false},
  // Names stay, for the stacks that --debug shows.
  minifyWhitespace: true,
  minifySyntax: true,
  external: ['typescript'],
  plugins: [rawText, latePackages, ownDefaults, leanCore],
  alias: {
    // What of got and oclif costs a start and is never used.
    ...Object.fromEntries(UNUSED.map(name => [name, './build/lean/unused.cjs'])),
    'cacheable-lookup': './build/lean/gotcache.mjs',
    'cacheable-request': './build/lean/gotcache.mjs',
    // Its main file is of a kind that no bundler can follow.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  },
}
await build({
  ...common,
  stdin: {contents: entry, resolveDir: '.', sourcefile: 'entry.ts'},
  // The same for what it makes to word two kinds of mistakes. The segmenter of string-width is made when
  // a text needs it.
  define: {'Intl.ListFormat': 'ListFormat', 'Intl.Segmenter': 'Segmenter'},
  inject: ['./build/lean/listformat.mjs', './build/lean/segmenter.mjs'],
  outfile: file,
})
// What runs the bundle, what answers a Tab, and the process that asks the keychain: little that has to be read.
await build({
  ...common,
  entryPoints: {
    start: 'src/lib/start/run.ts',
    tab: 'src/lib/cli/completion/tab.ts',
    keychain: 'src/lib/auth/store/process.ts',
  },
  outdir: 'dist',
  outExtension: {'.js': '.cjs'},
})

// V8 reads plain ASCII about twice as fast. The text is a function already, as Node makes one of each
// module: dist/start.cjs would have to copy it for that at every start.
const escaped = letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
const text = readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped)
writeFileSync(file, `(function (exports, require, module, __filename, __dirname) {${text}\n})`)
