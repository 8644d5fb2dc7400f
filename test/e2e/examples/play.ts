import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {type Outcome, runPlain} from '../../support/run-lines.js'
import {attend} from './attend.js'
import {type Scene, setScene, type Stage, type Wishes} from './scene.js'

/** The state after an example. */
export interface Played extends Outcome {
  /** The content of a file below the home directory. */
  read(name: string): string
  /** The response to a GET by `me`; the path is below `/drive/v2/`, with FILE_ID as in examples. */
  ask(path: string): Promise<any>
  /** The titles of the files that a search of `me` finds, in order. */
  titles(q: string): Promise<string[]>
}

/** Replaces the URL of a remote service in examples. */
const ELSEWHERE = 'https://files.example.com'

/** Runs one line in a new scene to its end: with `sh`, or in this process if it needs no shell. */
export async function play(stage: Stage, line: string, wishes: Wishes): Promise<Played> {
  const {home, folder, url, env, pidFile} = await setScene(stage, line, wishes)
  const reachable = line.replaceAll(ELSEWHERE, url)
  const {code, stdout, stderr} = await (runPlain(reachable, {env, cwd: folder}) ??
    runShell(reachable, {env, cwd: folder, pidFile}))
  const ask: Played['ask'] = async path => {
    const headers = {authorization: `Bearer ${stage.token}`}
    const named = path.replace('FILE_ID', stage.variables.FILE_ID!)
    const answer = await fetch(`${url}/drive/v2/${named}`, {headers})
    return answer.json()
  }
  return {
    code,
    stdout,
    stderr,
    read: name => readFileSync(join(home, name), 'utf8'),
    ask,
    async titles(q) {
      const {items} = await ask(`files?${new URLSearchParams({q})}`)
      return (items as {title: string}[]).map(({title}) => title).sort()
    },
  }
}

/** Runs a line with `sh`, with a person who attends to it. */
async function runShell(
  line: string,
  {env, cwd, pidFile}: Pick<Scene, 'env' | 'pidFile'> & {readonly cwd: string},
): Promise<Outcome> {
  const child = spawn('sh', ['-euc', line], {cwd, env})
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.end()
  const person = attend(child, () => Number(readFileSync(pidFile, 'utf8')))
  const [code] = (await once(child, 'close')) as [number | null]
  await person()
  return {code, stdout, stderr}
}
