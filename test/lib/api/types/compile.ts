import {fileURLToPath} from 'node:url'
import ts from 'typescript'

const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url))
const PLACE = fileURLToPath(new URL('./compiled/', import.meta.url))

/** The environment of the generated modules, for the compiler. */
export const surroundings = {
  node: {lib: ['lib.es2023.d.ts'], types: ['node']},
  browser: {lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'], types: []},
} as const satisfies Record<string, ts.CompilerOptions>

/** The compiler's messages for modules in memory, with the strictest options. */
export function complaintsOf(
  modules: Readonly<Record<string, string>>,
  {lib, types}: (typeof surroundings)[keyof typeof surroundings],
): string[] {
  const options: ts.CompilerOptions = {
    lib: [...lib],
    types: [...types],
    typeRoots: [`${PROJECT}node_modules/@types`],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
  }
  const texts = new Map(Object.entries(modules).map(([name, text]) => [PLACE + name, text]))
  const host = ts.createCompilerHost(options)
  const {fileExists, readFile, getSourceFile} = host
  host.fileExists = path => texts.has(path) || fileExists(path)
  host.directoryExists = path => `${path}/` === PLACE || ts.sys.directoryExists(path)
  host.readFile = path => texts.get(path) ?? readFile(path)
  host.getSourceFile = (path, language, ...rest) => {
    const text = texts.get(path)
    if (text === undefined) return getSourceFile(path, language, ...rest)
    return ts.createSourceFile(path, text, language)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return ts.getPreEmitDiagnostics(program).map(({file, start, messageText}) => {
    const line =
      file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    const name = file?.fileName.slice(PLACE.length) ?? ''
    return `${name}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
