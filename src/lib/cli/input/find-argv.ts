/**
 * Replaces conditions of find(1), such as `-name x`, `-type d`, `-mtime -1` and `-size +10k`, with flags of
 * `drv find`. Words after `--` stay unchanged. Pure.
 */
export function findArgv(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  const own = argv.slice(0, end < 0 ? undefined : end)
  const mended: string[] = []
  for (let at = 0; at < own.length; at += 1) {
    const [flag, ...values] = conditionAt(own, at)
    mended.push(flag, ...values)
    at += values.length
  }
  return [...mended, ...argv.slice(own.length)]
}

/** The word at a place, or the flag that it means with its value. */
function conditionAt(argv: readonly string[], at: number): readonly [string, ...string[]] {
  const [word, value] = [argv[at]!, argv[at + 1]]
  if (value === undefined) return [word]
  if (Object.hasOwn(SAME, word)) return [SAME[word]!, value]
  const known = CONDITIONS[word.replace(/^--?/, '')]
  const [, sign, number] = /^([+-])(\d+[A-Za-z]*)$/.exec(value) ?? []
  if (!word.startsWith('-') || known === undefined || number === undefined) return [word]
  return [sign === '+' ? known.more : known.less, number.replace(/c$/, '') + known.unit]
}

/** Conditions whose values are the same. */
const SAME: Readonly<Record<string, string>> = {
  '-iname': '--name',
  '-name': '--name',
  '-type': '--type',
}

/** Conditions of a number with a sign. */
const CONDITIONS: Readonly<Record<string, {more: string; less: string; unit: string}>> = {
  mmin: {more: '--older', less: '--newer', unit: 'm'},
  mtime: {more: '--older', less: '--newer', unit: 'd'},
  size: {more: '--larger', less: '--smaller', unit: ''},
}
