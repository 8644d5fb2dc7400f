// Builds dist/local.mjs and its types, the second entry of the package: `drv/local`, for programs; and the JSON
// Schema of seeds, `drv/seed.schema.json`, for editors.
import {readFileSync, rmSync, writeFileSync} from 'node:fs'
import {pathToFileURL} from 'node:url'
import {build} from 'esbuild'
import ts from 'typescript'

const ENTRY = 'src/lib/local/create-local-service.ts'

/** Builds the module, with the options of all bundles. It imports only packages that are installed with drv. */
export async function buildLocalEntry(options, dependencies) {
  const esm = {
    ...options,
    format: 'esm',
    supported: {},
    external: Object.keys(dependencies).flatMap(name => [name, `${name}/*`]),
  }
  await build({
    ...esm,
    stdin: {
      contents: `export {createLocalService as createService} from './${ENTRY}'`,
      resolveDir: '.',
    },
    outfile: 'dist/local.mjs',
  })
  // The declaration of the function, and the types that it refers to, which import nothing.
  const source = readFileSync(ENTRY, 'utf8')
  const {outputText} = ts.transpileDeclaration(source, {fileName: ENTRY})
  const types = ['src/lib/local/types.ts', 'src/lib/service/seed/seed.ts']
    .map(path => readFileSync(path, 'utf8').replace(/^import .*;?\n/gm, ''))
    .join('\n')
  const declared = outputText
    .replace(/^import .*;\n/gm, '')
    .replace('createLocalService', 'createService')
  // Next to local.mjs, TypeScript finds this name by itself.
  const lib = '/// <reference lib="esnext.disposable" />'
  writeFileSync('dist/local.d.mts', `${lib}\n${types}\n${declared}`)
  await buildSchema(esm)
}

async function buildSchema(esm) {
  const outfile = 'dist/seed.schema.mjs'
  await build({
    ...esm,
    stdin: {
      contents: "export {seedSchema} from './src/lib/service/seed/schema.ts'",
      resolveDir: '.',
    },
    outfile,
  })
  const {seedSchema} = await import(pathToFileURL(outfile))
  rmSync(outfile)
  writeFileSync('dist/seed.schema.json', `${JSON.stringify(seedSchema, undefined, 2)}\n`)
}
