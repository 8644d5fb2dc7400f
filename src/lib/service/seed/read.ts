import {dirname, resolve} from 'node:path'
import type {Document} from 'yaml'
import type {Seed} from './seed.js'
import {type SeedPath, SeedProblem, validateSeed} from './validate.js'

/** A seed that is not valid. The message names the file, the line and the field. */
export class SeedError extends Error {
  constructor(
    message: string,
    /** The file; missing for an object. */
    readonly file?: string,
    /** From 1. */
    readonly line?: number,
    /** Such as `users[0].login`. */
    readonly field?: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'SeedError'
  }
}

/** A seed that matches the schema. */
export interface SeedSource {
  readonly seed: Seed
  /** The full path of the file; missing for an object. */
  readonly file?: string
  /** The folder that paths are relative to, and must not leave. */
  readonly folder: string
  /** The error for a problem at a position of the seed. */
  errorAt(problem: SeedProblem): SeedError
}

/** Reads a seed, YAML or JSON. `file` names it in errors; paths are relative to its folder. Throws `SeedError`. */
export async function readSeed(text: string, file: string): Promise<SeedSource> {
  const {LineCounter, parseDocument} = await import('yaml')
  const lines = new LineCounter()
  // JSON is YAML, too.
  const document = parseDocument(text, {lineCounter: lines, prettyErrors: false})
  const [error] = [...document.errors, ...document.warnings]
  if (error) {
    const {line} = lines.linePos(error.pos[0])
    const reason = error.message.split('\n')[0]!.replace(/\.?$/, '.')
    throw new SeedError(`${file}:${line}: ${reason}`, file, line)
  }
  const value = valueOf(document, file)
  const path = resolve(file)
  return checked(value, {file: path, folder: dirname(path)}, problem => {
    const {line} = lines.linePos(offsetOf(document, problem.path))
    const field = fieldName(problem.path)
    return new SeedError(`${file}:${line}: ${sentence(problem)}`, file, line, field, {
      cause: problem,
    })
  })
}

function valueOf(document: Document, file: string): unknown {
  try {
    return document.toJS() as unknown
  } catch (error) {
    // Too many aliases.
    throw new SeedError(`${file}: ${(error as Error).message}.`, file, undefined, undefined, {
      cause: error,
    })
  }
}

/** A seed from an object. Paths are relative to the current folder. Throws `SeedError`. */
export function seedOf(value: unknown): SeedSource {
  return checked(value, {folder: process.cwd()}, problem => {
    const field = fieldName(problem.path)
    return new SeedError(`Invalid seed: ${sentence(problem)}`, undefined, undefined, field, {
      cause: problem,
    })
  })
}

function checked(
  value: unknown,
  place: Pick<SeedSource, 'file' | 'folder'>,
  errorAt: SeedSource['errorAt'],
): SeedSource {
  try {
    // An empty file is an empty seed.
    const seed = value ?? {}
    validateSeed(seed)
    return {...place, seed: seed, errorAt}
  } catch (error) {
    throw error instanceof SeedProblem ? errorAt(error) : error
  }
}

function sentence({path, message}: SeedProblem): string {
  const field = fieldName(path)
  const text = `${field === '' ? 'The seed' : field} ${message}`
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The name of a position, such as `users[0].files[2].title`. */
function fieldName(path: SeedPath): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? part : `${name}.${part}`
  }, '')
}

/** The offset of the field at a position, or of the nearest one above that is in the text. */
function offsetOf(document: Document, path: SeedPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true) as {items?: unknown} | undefined
    const name = path[length - 1]
    const pairs = Array.isArray(parent?.items) ? (parent.items as readonly Pair[]) : []
    const key = pairs.find(({key}) => key && String(key.value) === name)?.key
    const node = key ?? document.getIn(path.slice(0, length), true)
    const start = (node as {range?: readonly number[]} | undefined)?.range?.[0]
    if (start !== undefined) return start
  }
  return document.contents?.range?.[0] ?? 0
}

/** The part of a pair in a mapping that errors need. */
interface Pair {
  readonly key?: {readonly value?: unknown; readonly range?: readonly number[]} | null
}
