// Makes dist/drv.cjs: drv and oclif in one file, of which a command runs only what it needs; and
// dist/keychain.cjs, which drv starts to ask the keychain.
import {readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join, relative, sep} from 'node:path'
import {build} from 'esbuild'
import {file} from '../bin/bundle.js'

const {dependencies} = JSON.parse(readFileSync('package.json', 'utf8'))

/** What is loaded from its own package: all but oclif, which every command needs. */
const packages = Object.keys(dependencies).filter(name => !name.startsWith('@oclif/'))

const own = readdirSync('src/commands', {recursive: true})
  .filter(path => path.endsWith('.ts'))
  .map(path => [path.slice(0, -'.ts'.length).split(sep).join(':'), `./src/commands/${path}`])

/** The commands of oclif's plugins, which their packages do not export one by one. */
const plugins = {
  help: 'plugin-help/lib/commands/help.js',
  autocomplete: 'plugin-autocomplete/lib/commands/autocomplete/index.js',
  'autocomplete:create': 'plugin-autocomplete/lib/commands/autocomplete/create.js',
  'autocomplete:script': 'plugin-autocomplete/lib/commands/autocomplete/script.js',
}
const foreign = Object.entries(plugins).map(([id, path]) => [id, `./node_modules/@oclif/${path}`])

const getters = [...own, ...foreign].map(
  ([id, path]) => `get '${id}'() { return require('${path.split(sep).join('/')}').default },`,
)
const entry = `
import {start as startWith} from './src/lib/cli/start.ts'
export {default as unknownCommand} from './src/lib/cli/unknown.ts'
export const commands = {${getters.join('\n')}}
export const start = () => startWith(commands, __filename)`

/**
 * Has the import of a package become a `require` that keeps the package's own default export, which
 * esbuild takes to be the whole package otherwise. Code from a code cache cannot `import()` in Node 20.
 */
const ownDefaults = {
  name: 'own defaults',
  setup({onResolve, onLoad}) {
    onResolve({filter: /^[^.]/, namespace: 'file'}, ({path}) =>
      packages.includes(path) ? {path, namespace: 'package'} : undefined,
    )
    onLoad({filter: /./, namespace: 'package'}, ({path}) => ({
      contents: `export * from '${path}'; export {default} from '${path}'`,
    }))
  },
}

rmSync(dirname(file), {recursive: true, force: true})
const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.19',
  supported: {'dynamic-import': false},
  // Names stay, for the stacks that --debug shows.
  minifyWhitespace: true,
  minifySyntax: true,
  external: [...packages, 'typescript'],
  plugins: [ownDefaults],
}
await build({
  ...common,
  stdin: {contents: entry, resolveDir: '.', sourcefile: 'entry.ts'},
  outfile: relative('.', file),
})
// The process that asks the keychain, of which little has to be read.
await build({
  ...common,
  entryPoints: ['src/lib/auth/store/process.ts'],
  outfile: join(relative('.', dirname(file)), 'keychain.cjs'),
})

// V8 reads plain ASCII about twice as fast.
const escaped = letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped))
