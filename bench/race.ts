import {type Cost} from './process.js'
import {median, row} from './table.js'

/** One way to do a job. */
export interface Contender {
  readonly name: string
  /** Does the job; the time of `before` and `after` is not counted. */
  run(round: number): Promise<Cost>
  before?(round: number): Promise<void> | void
  after?(round: number, cost: Cost): Promise<void> | void
}

/** Runs all contenders in turns, starting with another one each round, so that other load affects all of them. */
export async function race(
  contenders: readonly Contender[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Cost[]>> {
  const costs = new Map(contenders.map(({name}) => [name, [] as Cost[]]))
  for (let round = 0; round < rounds; round++) {
    const first = round % contenders.length
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      await contender.before?.(round)
      const cost = await contender.run(round)
      await contender.after?.(round, cost)
      costs.get(contender.name)!.push(cost)
    }
  }
  return costs
}

export const COLUMNS = ['median s', 'a second', '/ curl', 'CPU s', 'peak MiB']

/** A row for each contender. `amount` is the size of the job in `unit`; the others are compared with `standard`. */
export function report(
  costs: ReadonlyMap<string, readonly Cost[]>,
  amount: number,
  unit: string,
  standard: string,
): void {
  const secondsOf = (name: string) => {
    const of = costs.get(name)
    return of && median(of.map(({seconds}) => seconds))
  }
  const base = secondsOf(standard)
  for (const [name, runs] of costs) {
    const seconds = secondsOf(name)!
    row(
      name,
      seconds.toFixed(2),
      `${(amount / seconds).toFixed(0)} ${unit}`,
      base === undefined ? '-' : (base / seconds).toFixed(2),
      middle(
        runs.map(({cpu}) => cpu),
        2,
      ),
      middle(
        runs.map(({memory}) => memory),
        0,
      ),
    )
  }
}

function middle(values: ReadonlyArray<number | undefined>, digits: number): string {
  const known = values.filter(value => value !== undefined)
  return known.length > 0 ? median(known).toFixed(digits) : '-'
}
