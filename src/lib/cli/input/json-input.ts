import type {ParseError} from 'jsonc-parser'
import {isDeeperThan, MOST_LEVELS} from '#lib/api/document/walk.js'
import {isObject} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {hasTooManyValues, MOST_VALUES} from '#lib/client/limits.js'

/**
 * The offset of the first JSON syntax error; the text's length if it ends too early. For text that
 * `JSON.parse` rejected, because not all Node versions report the position.
 */
export async function jsonErrorAt(text: string): Promise<number> {
  const {parse} = await import('jsonc-parser')
  const errors: ParseError[] = []
  parse(text, errors, {disallowComments: true})
  return errors[0]?.offset ?? text.length
}

/** `line 2, column 7` for an offset, both counted from 1. */
export function positionIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}

/**
 * Throws `UsageError` for JSON with more values than allowed in a response. Called before parsing, because
 * an empty object takes two bytes as text but a hundred in memory.
 */
export function refuseManyValues(text: string, source: string): void {
  if (!hasTooManyValues(text)) return
  throw new UsageError(
    `Cannot read ${source}: it has more than ${MOST_VALUES.toLocaleString('en')} values.`,
  )
}

/** Throws `UsageError` for a value nested too deep for recursive functions. */
export function refuseDeepValues(value: unknown, source: string): void {
  if (!isDeeperThan(value, MOST_LEVELS)) return
  throw new UsageError(`Cannot read ${source}: it is nested more than ${MOST_LEVELS} levels deep.`)
}

type Body = Readonly<Record<string, unknown>>

/** The object of `--body`: JSON, `@FILE`, or `-` for standard input. Throws `UsageError`. */
export async function readBodyFlag(
  flag: string | undefined,
  context: Pick<Context, 'io' | 'waits'>,
): Promise<Body | undefined> {
  if (flag === undefined) return undefined
  if (flag === '-') return parseBody(await readAll(context), 'the body on standard input')
  if (!flag.startsWith('@')) return parseBody(flag, '--body')
  const path = flag.slice(1)
  if (path === '') throw new UsageError('Invalid --body: no file name after "@".')
  const text = await readLocalText(path, context).catch((error: unknown) => {
    throw unreadableFileError(`the body from ${path}`, error)
  })
  return parseBody(text, path)
}

/** Why a text is not valid JSON, and where. */
export async function jsonProblem(text: string): Promise<string> {
  if (text.trim() === '') return 'the text is empty'
  const at = await jsonErrorAt(text)
  const problem = at === text.length ? 'unexpected end' : 'syntax error'
  return `${problem} at ${positionIn(text, at)}`
}

/** The JSON object in `input`; `source` names its origin. Throws `UsageError`. */
async function parseBody(input: string, source: string): Promise<Body> {
  // Editors on Windows add a byte order mark, which JSON does not allow.
  const text = input.replace(/^\uFEFF/, '')
  if (text.trim() === '')
    throw new UsageError(`Cannot read ${source}: it is empty, not a JSON object.`)
  refuseManyValues(text, source)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(`Cannot read ${source}: invalid JSON, ${await jsonProblem(text)}.`)
  }
  refuseDeepValues(value, source)
  if (isObject(value)) return value
  throw new UsageError(
    `Cannot read ${source}: it must be a JSON object, such as {"title": "Report"}.`,
  )
}
