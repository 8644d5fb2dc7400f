import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import type {PlanHead, PlanStep} from '#lib/cli/plan-file/format.js'

/** Plan files for tests. */

export const HEAD: PlanHead = {
  plan: 1,
  id: 'a-plan-of-this-test',
  time: '2026-11-23T20:00:00.000Z',
  drv: '1.2.3',
  command: 'drv push build/ /Site',
  service: 'https://drive.example.com',
  account: null,
  root: null,
}

/** A step that changes the title of a file. */
export const RENAME: PlanStep = {
  key: '1',
  action: 'rename',
  label: '/a.txt',
  effect: 'changes',
  operation: 'files.patch',
  params: {fileId: 'FILE1'},
  body: {title: 'b.txt'},
}

type Fields = object

/** The text of a plan: the head, the steps, and the end. */
export function planText(head: Fields, steps: readonly Fields[]): string {
  const lines = [head, ...steps, {end: {steps: steps.length}}]
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}

/** Writes a plan that only its owner can read, and returns its path. */
export function writePlan(folder: string, text: string, name = 'site.plan'): string {
  const path = join(folder, name)
  writeFileSync(path, text, {mode: 0o600})
  return path
}
