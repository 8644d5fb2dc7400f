import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {ListText, OutputFormat, Text} from './format.js'
import type {Ran} from './jq-program.js'

/** Runs the expression over JSON texts, one after the other, and gives what is written. */
export type Jq = (input: string) => string

/** The expression, ready to run. Throws `UsageError` with jq's own words where it is none. */
export async function compileJq(expression: string): Promise<Jq> {
  const {loadJq} = await import('./jq-program.js')
  const run = await loadJq()
  // Without a value nothing runs, but all is read.
  refuse(run(expression, ''))
  return input => {
    const ran = attempt(() => run(expression, input))
    refuse(ran)
    return ran.stdout
  }
}

/**
 * What jq makes of JSON: of a list as one document when the last page is there, of `ndjson` as the
 * records come, each by itself.
 */
export function jqFormat(
  jq: Jq,
  {isStructured, record, records, list, array = list}: OutputFormat,
): OutputFormat {
  const then = async (text: Text) => jq(await text)
  const whole = ({rows, end}: ListText): ListText => {
    if (!end) return {rows: some => then(rows(some))}
    const pieces: string[] = []
    return {
      async rows(some) {
        pieces.push(await rows(some))
        return ''
      },
      end: async rest => jq([...pieces, await end(rest)].join('')),
    }
  }
  return {
    isStructured,
    record: (...given) => then(record(...given)),
    records: (...given) => then(records(...given)),
    list: layout => whole(list(layout)),
    array: layout => whole(array(layout)),
  }
}

function refuse({code, stderr}: Ran): void {
  // That a value in the middle was at fault, only its words say.
  const words = stderr.split('\n').filter(line => line.startsWith('jq: error'))
  if (code === 0 && words.length === 0) return
  const told = (words[0] === undefined ? stderr : stderr.slice(stderr.indexOf(words[0]))).trim()
  throw new UsageError(
    `--jq failed: ${told.replaceAll(/\s+/g, ' ') || `jq ended with code ${code}`}`,
    '`drv` runs jq 1.7 on what --json prints: look at that first.',
  )
}

/** Throws `CommandError` where jq's memory does not hold what it was given. */
function attempt(run: () => Ran): Ran {
  try {
    return run()
  } catch (error) {
    if (!isAbort(error)) throw error
    throw new CommandError(
      'failed',
      'That is more than jq can hold at once.',
      'With --format ndjson it sees each record by itself; --limit and --columns make less of it.',
    )
  }
}

/** How the machine of jq ends when it has no memory left. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'RuntimeError'
}
