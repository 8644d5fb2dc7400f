import {readFileSync} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {pathToFileURL} from 'node:url'
import {build} from 'esbuild'
import {rawText} from '../../build/raw-text.mjs'

/** Packages that are loaded as they are: native ones, and those that drv loads at run time. */
const {dependencies} = JSON.parse(readFileSync('package.json', 'utf8')) as {dependencies: object}
const EXTERNAL = [
  ...Object.keys(dependencies),
  '@oclif/core',
  'fast-check',
  'got',
  'memfs',
  'typescript',
]

/**
 * Loads a module in one file with all of drv, in which `import()` waits for nothing: the loader of Node answers it from
 * another thread, at a time that no seed decides.
 */
export async function loadBundled<T>(entry: string): Promise<T> {
  const folder = await mkdtemp(resolve('node_modules', '.simulate-'))
  try {
    const outfile = join(folder, 'model.mjs')
    await build({
      ...{entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm'},
      ...{target: 'node20.19', external: EXTERNAL, logLevel: 'error', sourcemap: 'inline'},
      banner: {
        js: `import {createRequire as requireOf} from 'node:module'; const require = requireOf(import.meta.url)`,
      },
      supported: {'dynamic-import': false},
      plugins: [rawText],
    })
    return (await import(pathToFileURL(outfile).href)) as T
  } finally {
    await rm(folder, {recursive: true})
  }
}
