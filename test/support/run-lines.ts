import {appendFileSync, readFileSync, writeFileSync} from 'node:fs'
import {resolve} from 'node:path'
import {runHere} from './here.js'
import {type Pipeline, plainLines} from './plain-lines.js'
import {isFull} from './size.js'

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Place {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/**
 * Runs a script that needs no shell in this process, until a command fails; nothing if it needs one. TEST_FULL=1
 * runs each in a shell.
 */
export function runPlain(script: string, place: Place): Promise<Outcome> | undefined {
  const pipelines = isFull ? undefined : plainLines(script, place.env)
  return pipelines && runLines(pipelines, place)
}

async function runLines(pipelines: readonly Pipeline[], {env, cwd}: Place): Promise<Outcome> {
  const all = {code: 0 as number | null, stdout: '', stderr: ''}
  for (const pipeline of pipelines) {
    let output = ''
    for (const {args, env: own, source, target} of pipeline) {
      const input = source === undefined ? output : readFileSync(resolve(cwd, source))
      const {code, stdout, stderr} = await runHere(args, {env: {...env, ...own}, cwd, input})
      all.stderr += stderr
      output = target === undefined ? stdout : ''
      if (target !== undefined) {
        const write = target.isAppended ? appendFileSync : writeFileSync
        write(resolve(cwd, target.path), stdout)
      }
      if (code !== 0) return {...all, code, stdout: all.stdout + output}
    }
    all.stdout += output
  }
  return all
}
