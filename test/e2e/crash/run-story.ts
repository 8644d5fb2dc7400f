import {mkdirSync, realpathSync} from 'node:fs'
import {join, relative} from 'node:path'
import {nameFromKey} from '#lib/platform/state-file.js'
import type {HistoryStep} from '../../../simulate/history.js'
import {
  type Failure,
  failuresAt,
  isCrash,
  isPowerFailure,
  type Point,
  runToPoint,
} from '../../support/crash-points.js'
import {runHere} from '../../support/here.js'
import type {World} from '../../support/world.js'
import {judgeComplete, judgeCrash, judgeError, judgeRecovery, withoutOldFiles} from './judge.js'
import {masked, type Observation, observe} from './observe.js'
import {compiledIn, linkFiles, openStage} from './stage.js'
import {codeOf, runOf, type Stage, type Story} from './story.js'

/** A complete run of a story. */
export interface Rehearsal {
  readonly points: readonly Point[]
  /** What happens to each file, and the requests: `home/config/drv/config.json: rename`. Sorted. */
  readonly lines: readonly string[]
  readonly complete: Observation
  /** Compiled code for the command. */
  readonly compiled: string
}

/** Runs a story to its end and lists its points. */
export async function rehearse(world: World, story: Story): Promise<Rehearsal> {
  const stage = await openStage(world, story)
  try {
    const places = placesOf(stage, story)
    const {code, stderr, points} = await runToPoint(story.argv, places, runOf(stage, story))
    if (code !== codeOf(story))
      throw new Error(`drv ${story.argv.join(' ')} ended with ${code}: ${stderr}`)
    const compiled = join(world.folder, `compiled-${nameFromKey(story.name, 8)}`)
    linkFiles(compiledIn(stage.home), compiled)
    const lines = linesOf(points, realpathSync(stage.folder))
    return {points, lines, complete: await observe(stage, story), compiled}
  } finally {
    stage.remove()
  }
}

/** The points by file or request, without what differs between runs. */
function linesOf(points: readonly Point[], folder: string): string[] {
  const kinds = new Map<string, Set<string>>()
  for (const {kind, path} of points) {
    const place = masked(path.startsWith('/') ? relative(folder, path) : path)
    kinds.set(place, (kinds.get(place) ?? new Set()).add(kind))
  }
  return [...kinds].map(([place, all]) => `${place}: ${[...all].join(', ')}`).sort()
}

/** A point and what happens there. */
export interface Case {
  readonly point: Point
  readonly failure: Failure
}

/** All cases of a story, without the middle of the same operation in a row, such as of a long download. */
export function casesOf({isNative}: Story, {points}: Rehearsal): Case[] {
  const isSame = (a?: Point, b?: Point) => a?.kind === b?.kind && a?.path === b?.path
  return points
    .filter((point, index) => {
      const isInside = [-2, -1, 1].every(step => isSame(points[index + step], point))
      return !isInside
    })
    .flatMap(point => failuresAt(point, isNative).map(failure => ({point, failure})))
}

/** Lets a story fail at a point, runs it again, and returns what is wrong. */
export async function runCase(
  world: World,
  story: Story,
  {complete, compiled}: Rehearsal,
  {point, failure}: Case,
): Promise<string[]> {
  const stage = await openStage(world, story, compiled)
  try {
    const before = await observe(stage)
    const old = await historyOf(stage)
    const isNew = ({id, state}: HistoryStep) =>
      // The command may complete what an earlier one began.
      state === 'unknown' || old.every(one => one.id !== id || one.state !== state)
    const failing = {...placesOf(stage, story), at: point.at, how: failure}
    const first = await runToPoint(story.argv, failing, runOf(stage, story))
    const crashed = await observe(stage)
    const steps = (await historyOf(stage)).filter(isNew)
    const wrong = judgeCrash(
      stage,
      {
        isPowerFailure: isPowerFailure(failure),
        // The history is not flushed, and a broken disk only causes a warning.
        ...(!isPowerFailure(failure) && !first.stderr.includes('cannot record') && {steps}),
      },
      {before, crashed, complete},
    )
    if (!isCrash(failure)) wrong.push(...judgeError(story, first))
    if (first.code === 0) wrong.push(...judgeComplete(complete, withoutParts(crashed)))
    else {
      const second = await runHere(story.argv, runOf(stage, story))
      const found = await observe(stage, story)
      const recovered = withoutOldFiles(found, {before, complete}, first)
      wrong.push(...judgeRecovery(story, second, {recovered, complete}))
      if (wrong.length > 0) wrong.push(`second run: ${second.code} ${second.stderr}`)
    }
    if (wrong.length === 0) return []
    const at = first.points.at(-1)
    const end = `first run: ${first.signal ?? first.code} ${first.stderr}`
    return [`at ${at?.at} ${at?.kind} ${masked(at?.path ?? '')}`, ...wrong, end]
  } finally {
    stage.remove()
  }
}

/** A broken disk can keep parts of downloads from being removed. */
function withoutParts(found: Observation): Observation {
  return {...found, files: new Map([...found.files].filter(([path]) => !path.endsWith('.part')))}
}

function placesOf({files, folder, home}: Stage, {endsAfter}: Story) {
  const spare = join(folder, 'spare')
  mkdirSync(spare, {recursive: true})
  const roots = [home, files].map(path => realpathSync(path))
  const places = {roots, except: compiledIn(roots[0]!), folder, spare}
  return endsAfter === undefined ? places : {...places, process: 'DRV_ROUND_PROCESS'}
}

async function historyOf({env, files}: Stage): Promise<HistoryStep[]> {
  const argv = ['history', '--steps', '--format', 'ndjson']
  const {stdout, stderr, code} = await runHere(argv, {env, cwd: files})
  if (code !== 0) throw new Error(`drv history: ${stderr}`)
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as HistoryStep)
}
