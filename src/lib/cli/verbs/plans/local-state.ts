import {type BigIntStats, lstatSync} from 'node:fs'
import {join} from 'node:path'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {isSameTime} from '#lib/transfer/tree/entries.js'
import {md5Of} from '#lib/transfer/tree/settle.js'
import type {Verdict} from './judge-step.js'

/** Compares local files with a plan. */

function factsOf(path: string): {readonly size: number; readonly modified: number} | undefined {
  const facts: BigIntStats | undefined = lstatSync(path, {bigint: true, throwIfNoEntry: false})
  if (!facts?.isFile()) return undefined
  return {size: Number(facts.size), modified: Number(facts.mtimeNs) / 1e6}
}

/** Compares the content to upload by size and MD5. */
export async function examineContent(
  root: string,
  {path, size, md5}: NonNullable<PlanStep['local']>,
  signal: AbortSignal,
): Promise<Verdict> {
  const whole = join(root, path)
  const facts = factsOf(whole)
  if (!facts) return {conflict: 'the local file no longer exists'}
  const file = {kind: 'file', name: path, path: whole, root, ...facts} as const
  if (facts.size === size && (await md5Of(file, signal)) === md5) return 'open'
  return {conflict: 'the local file has changed'}
}

/** Compares the local file that a download replaces, or that is moved away. */
export async function examineTarget(
  root: string,
  {here, output}: PlanStep,
  signal: AbortSignal,
): Promise<Verdict> {
  const {path, before, md5, size} = output!
  const whole = join(root, path)
  if (here === 'remove' && !lstatSync(whole, {throwIfNoEntry: false})) return 'done'
  const facts = factsOf(whole)
  if (!facts || here === 'mkdir') return 'open'
  const isDownloaded =
    !here &&
    md5 !== undefined &&
    (size === undefined || facts.size === size) &&
    (await md5Of({kind: 'file', name: path, path: whole, root, ...facts}, signal)) === md5
  if (isDownloaded) return 'done'
  if (!here && !output!.overwrite) return {conflict: 'a local file with different content exists'}
  const isSame = !before || (before.size === facts.size && isSameTime(before, facts))
  return isSame ? 'open' : {conflict: 'the local file has changed'}
}
