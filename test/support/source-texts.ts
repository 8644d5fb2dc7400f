import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import ts from 'typescript'

/** A string literal with at least two words, or a comment, of a source file. */
export interface SourceText {
  /** Relative to the top of the repository. */
  readonly file: string
  /** Starts at 1. */
  readonly line: number
  /** A template's expressions appear as `${…}`. */
  readonly text: string
}

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))

/** The TypeScript files below a folder of the repository, sorted. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), {recursive: true, encoding: 'utf8'})
    .filter(path => path.endsWith('.ts'))
    .map(path => join(folder, path))
    .toSorted()
}

/** The string literals with at least two words, without SQL and import paths. */
export function stringsOf(file: string): SourceText[] {
  const source = parse(file)
  const found: SourceText[] = []
  visit(source)
  return found.filter(({text}) => WORDS.test(text) && !SQL.test(text))

  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    const text = literalText(node)
    if (text !== undefined) found.push({file, line: lineAt(source, node.getStart(source)), text})
    ts.forEachChild(node, visit)
  }
}

const WORDS = /[A-Za-z]{2,}[^A-Za-z]* [^A-Za-z]*[A-Za-z]{2,}/
const SQL =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WITH|FROM|JOIN|PRAGMA|AND|OR|WHERE|ORDER|EXISTS)\b/

function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({literal}) => `\${…}${literal.text}`).join('')
}

/** The comments of a file, each as one line without comment marks. */
export function commentsOf(file: string): SourceText[] {
  const source = parse(file)
  const ranges = new Map<number, ts.CommentRange>()
  collect(source)
  return [...ranges.values()].map(({pos, end}) => ({
    file,
    line: lineAt(source, pos),
    text: source.text
      .slice(pos, end)
      .replaceAll(/^\/\*+|\*+\/$|^\/\/+|^\s*\*+/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }))

  function collect(node: ts.Node): void {
    for (const range of ts.getLeadingCommentRanges(source.text, node.pos) ?? []) add(range)
    for (const range of ts.getTrailingCommentRanges(source.text, node.end) ?? []) add(range)
    for (const child of node.getChildren(source)) collect(child)
  }
  function add(range: ts.CommentRange): void {
    if (!ranges.has(range.pos)) ranges.set(range.pos, range)
  }
}

/** The names that a file declares and exports. */
export function exportedNames(file: string): string[] {
  const names = parse(file).statements.flatMap(statement => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({kind}) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) return []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({name}) => name.getText())
    }
    const {name} = statement as ts.DeclarationStatement
    return name ? [name.getText()] : []
  })
  // Overloads of a function share one name.
  return [...new Set(names)]
}

const parsed = new Map<string, ts.SourceFile>()

function parse(file: string): ts.SourceFile {
  let source = parsed.get(file)
  if (source === undefined) {
    const text = readFileSync(join(REPOSITORY, file), 'utf8')
    source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    parsed.set(file, source)
  }
  return source
}

const lineAt = (source: ts.SourceFile, offset: number) =>
  source.getLineAndCharacterOfPosition(offset).line + 1
