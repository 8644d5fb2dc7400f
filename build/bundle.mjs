// Builds dist/drv.cjs: drv and oclif in one file, of which a command runs only the code it needs; dist/start.cjs,
// which runs that file; dist/tab.cjs, which answers completion requests of shells; and dist/keychain.cjs, which
// drv starts to use the keychain.
import {readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {basename, dirname, join, resolve, sep} from 'node:path'
import {build} from 'esbuild'
import {buildLocalEntry} from './local-entry.mjs'
import {rawText} from './raw-text.mjs'

const file = 'dist/drv.cjs'
const {dependencies} = JSON.parse(readFileSync('package.json', 'utf8'))

/** Whether a path is a package that is loaded at run time instead of bundled, or a file of one. */
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
 * Turns the import of a package into a `require` that keeps the default export of the package, which esbuild would
 * take for the whole package. Code from a code cache cannot use `import()` in Node 20. Bundled packages include
 * their own dependencies, possibly in other versions.
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

/** Loads packages that few runs need only when one of their functions is called. */
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

/** Removes the parts of oclif's core that drv does not use, and loads rarely used parts on first use. */
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
    // Only the spinner needs other packages, and drv has its own.
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
  // Keep names for the stack traces of --debug.
  minifyWhitespace: true,
  minifySyntax: true,
  external: ['typescript'],
  plugins: [rawText, latePackages, ownDefaults, leanCore],
  alias: {
    // Parts of got and oclif that slow down the start and are never used.
    ...Object.fromEntries(UNUSED.map(name => [name, './build/lean/unused.cjs'])),
    'cacheable-lookup': './build/lean/gotcache.mjs',
    'cacheable-request': './build/lean/gotcache.mjs',
    // Bundlers cannot follow the format of its main file.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
  },
}
await build({
  ...common,
  stdin: {contents: entry, resolveDir: '.', sourcefile: 'entry.ts'},
  // These replace constructors that got and string-width call when loaded; the segmenter is created when a text
  // needs it.
  define: {'Intl.ListFormat': 'ListFormat', 'Intl.Segmenter': 'Segmenter'},
  inject: ['./build/lean/listformat.mjs', './build/lean/segmenter.mjs'],
  outfile: file,
})
// Small files that load fast: the start of the bundle, the completion, and the keychain process.
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

await buildLocalEntry({...common, plugins: [rawText]}, dependencies)

// V8 parses plain ASCII about twice as fast. The text is already wrapped in a function, as Node does for each
// module; otherwise dist/start.cjs would have to copy the text at every start.
const escaped = letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
const text = readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped)
writeFileSync(file, `(function (exports, require, module, __filename, __dirname) {${text}\n})`)

// Reads what was built.
await import('./manifest.mjs')
