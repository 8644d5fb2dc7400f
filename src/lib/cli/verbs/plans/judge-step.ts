import {includes, isReached} from '#lib/api/reached.js'
import {isObject} from '#lib/api/validate.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import type {Page} from '#lib/client/client.js'

/** Compares items with what a plan found and wants. Pure. */

/** The result of a comparison: the step can be sent, it is done already, or its item has changed. */
export type Verdict = 'open' | 'done' | {readonly conflict: string}

/** Whether the item is still as the plan found it; `record` is `undefined` if it no longer exists. */
export function isAsFound({etag, found}: PlanStep, record: Page | undefined): boolean {
  if (!record) return false
  if (etag !== undefined && record.etag !== undefined) {
    return plainTag(String(record.etag)) === plainTag(etag)
  }
  return !found || includes(record, found)
}

/** What to do with a step whose item is no longer as the plan found it. */
export function judgeStep(step: PlanStep, record: Page | undefined): Verdict {
  if (isDone(step, record)) return 'done'
  if (!record) return {conflict: 'the item no longer exists'}
  const {labels} = record
  if (isObject(labels) && labels.trashed === true && step.operation !== 'files.untrash') {
    return {conflict: 'the item is in the trash'}
  }
  return {conflict: 'the item changed after the plan was made'}
}

/** Whether the item is already as the step would leave it. */
export function isDone(
  {operation: id, params = {}, body, local}: PlanStep,
  record: Page | undefined,
): boolean {
  return (
    id !== undefined &&
    isReached({id, params, ...(body && {body}), ...(local && {md5: local.md5})}, record)
  )
}

/** A tag without the mark of a weak one. */
function plainTag(tag: string): string {
  return tag.replace(/^W\//, '')
}
