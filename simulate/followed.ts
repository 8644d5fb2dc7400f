/** What a process of `drv follow` printed from its start to its end. */
export interface FollowRun {
  readonly text: string
  readonly isKilled: boolean
}

/**
 * What is wrong with the changes that `drv follow` printed: doubled ones and ones out of order. Only the changes of a
 * process that was killed may be printed again, by the next one.
 */
export function judgeFollowed(runs: readonly FollowRun[]): string[] {
  const wrong: string[] = []
  let last = 0
  for (const [index, {text}] of runs.entries()) {
    const previous = runs[index - 1]
    if (previous?.isKilled) last = Math.min(last, ...changeIds(previous.text).map(id => id - 1))
    for (const id of changeIds(text)) {
      if (id <= last) wrong.push(`drv follow printed change ${id} after ${last}.`)
      last = Math.max(last, id)
    }
  }
  return wrong
}

/** The IDs in the whole lines of a text; a kill may cut the last one. */
function changeIds(text: string): number[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map(line => Number(JSON.parse(line).changeId))
}
