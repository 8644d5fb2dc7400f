import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

/**
 * The texts of drv as tests saw them: one Markdown file per room, one entry per assertion. A test asserts codes,
 * exit status and data itself, and passes texts to `toRead`, so that rewording changes only these files.
 */

export const TEXTS = fileURLToPath(new URL('../texts/', import.meta.url))

/** The variable with the folder that collects entries instead of comparing them. */
export const COLLECT = 'TEST_TEXTS_FOLDER'

export interface Entry {
  readonly room: string
  /** The test file, the names of groups and test, and a number if the test asserts several texts. */
  readonly key: string
  readonly text: string
}

/** The room of a test file: `test/lib/cli/guard/impact.test.ts` → `lib-cli-guard`. */
export function roomOf(file: string): string {
  const path = file.slice(file.lastIndexOf('/test/') + '/test/'.length)
  const folders = path.split('/').slice(0, -1)
  return folders.slice(0, folders[1] === 'cli' ? 3 : 2).join('-') || 'all'
}

/** Replacements for parts that differ between runs. The order matters: a path may contain an ID. */
const MASKS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\r/g, ''],
  [/(?:^ +at .*(?:\n|$))+/gm, '    at $STACK\n'],
  [/\x1b\[[0-9;?]*[A-Za-z]/g, ''],
  [new RegExp(`${tmpdir().replaceAll(/[.+]/g, '\\$&')}/[\\w.-]+`, 'g'), '$TMP'],
  [/\/(?:tmp|dev\/shm)\/drv-[\w-]+(?:\/[\w-]*-[A-Za-z0-9]{6})?/g, '$TMP'],
  [new RegExp(fileURLToPath(new URL('../../', import.meta.url)), 'g'), '$REPOSITORY/'],
  [/\b(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}\b/g, '$1:$PORT'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?/g, '$TIME'],
  [/\b\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?/g, '$TIME'],
  [/\bthe code [A-Z\d]{4}-[A-Z\d]{4}\b/g, 'the code $CODE'],
  // The counts depend on timing.
  [/\bSo far: .*$/gm, 'So far: $COUNTS'],
  [/\b\d+\.\d s\b|\b\d+ ms\b/g, '$DURATION'],
  [/\b0A[\w-]{17}\b/g, '$DRIVE'],
  [/\brow-[\w-]{20,}/g, '$ID'],
  // One in a hundred IDs has no digit, but changes case more often than a word does.
  [/\b(?<!\w-+)(?=(?:[\w-]*?[a-z][A-Z]){3})(?=[\w-]*[A-Z]{2}[a-z])[\w-]{25,}(?![\w-])/g, '$ID'],
  [/\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{25,}(?![\w-])/g, '$ID'],
  [/\b(?=(?:\w*?[a-z][A-Z]){3})(?=\w*[A-Z]{2}[a-z])[A-Za-z]{20}\b/g, '$ID'],
  [/\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{20,}\b/g, '$ID'],
]

export function masked(text: string): string {
  return MASKS.reduce((all, [pattern, name]) => all.replaceAll(pattern, name), text)
}

/** Writes the files of the rooms from the collected entries. Keeps the entries of test files that did not run. */
export function writeCollected(folder: string): void {
  const lines = readdirSync(folder).flatMap(file =>
    readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'),
  )
  const all = lines.map(line => JSON.parse(line) as Entry)
  // Several cases of one test may have the same title and print the same text.
  const collected = [...new Map(all.map(entry => [`${entry.room} ${entry.key}`, entry])).values()]
  const ran = new Set(collected.map(({key}) => testFileOf(key)))
  mkdirSync(TEXTS, {recursive: true})
  for (const room of new Set([...roomsThere(), ...collected.map(({room}) => room)])) {
    const others = [...readRoom(room)].filter(
      ([key]) => !ran.has(testFileOf(key)) && readsTexts(key),
    )
    const entries = [
      ...others.map(([key, text]) => ({room, key, text})),
      ...collected.filter(entry => entry.room === room),
    ]
    const file = join(TEXTS, `${room}.md`)
    if (entries.length === 0) rmSync(file)
    else writeFileSync(file, render(room, entries))
  }
}

export const testFileOf = (key: string) => key.split(' › ', 1)[0]!

/** Whether the test file of an entry exists and calls `toRead`. */
export function readsTexts(key: string): boolean {
  const file = fileURLToPath(new URL(`../${testFileOf(key)}`, import.meta.url))
  return existsSync(file) && readFileSync(file, 'utf8').includes('.toRead()')
}

export const roomsThere = (): string[] =>
  existsSync(TEXTS) ? readdirSync(TEXTS).map(file => file.replace(/\.md$/, '')) : []

const FENCE = '````'
const ENTRY = /^## (.*)\n\n````text\n([^]*?)\n````$/gm

/** The content of a room's file. Entries are sorted by key, so that parallel runs write the same file. */
export function render(room: string, entries: readonly Entry[]): string {
  const sorted = entries.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const blocks = sorted.map(({key, text}) => `## ${key}\n\n${FENCE}text\n${text}\n${FENCE}\n`)
  return [`# Texts of ${room}\n`, ...blocks].join('\n')
}

const rooms = new Map<string, ReadonlyMap<string, string>>()

/** The entries of a room's file, by key; empty without a file. */
export function readRoom(room: string): ReadonlyMap<string, string> {
  const known = rooms.get(room)
  if (known) return known
  const entries = new Map<string, string>()
  for (const [, key = '', text = ''] of readIfThere(`${TEXTS}${room}.md`).matchAll(ENTRY)) {
    entries.set(key, text)
  }
  rooms.set(room, entries)
  return entries
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
