// Builds dist/local.mjs and its types, the second entry of the package: `drv/local`, for programs.
import {readFileSync, writeFileSync} from 'node:fs'
import {build} from 'esbuild'
import ts from 'typescript'

const ENTRY = 'src/lib/local/create-local-service.ts'

/** Builds the module, with the options of all bundles. It imports only packages that are installed with drv. */
export async function buildLocalEntry(options, dependencies) {
  await build({
    ...options,
    format: 'esm',
    supported: {},
    external: Object.keys(dependencies).flatMap(name => [name, `${name}/*`]),
    stdin: {
      contents: `export {createLocalService as createService} from './${ENTRY}'`,
      resolveDir: '.',
    },
    outfile: 'dist/local.mjs',
  })
  // The declaration of the function, and the types that it refers to, which import nothing.
  const source = readFileSync(ENTRY, 'utf8')
  const {outputText} = ts.transpileDeclaration(source, {fileName: ENTRY})
  const types = readFileSync('src/lib/local/types.ts', 'utf8')
  const declared = outputText
    .replace(/^import .*;\n/gm, '')
    .replace('createLocalService', 'createService')
  // Next to local.mjs, TypeScript finds this name by itself.
  const lib = '/// <reference lib="esnext.disposable" />'
  writeFileSync('dist/local.d.mts', `${lib}\n${types}\n${declared}`)
}
