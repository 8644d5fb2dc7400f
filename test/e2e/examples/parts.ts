import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {operations} from '#lib/api/operations.js'
import {lineOf} from '#lib/cli/help/command-entries.js'
import {manifest} from '../../lib/cli/help/installed.js'
import {missingKeyring} from '../../support/keyring.js'
import {play, type Played} from './play.js'
import {buildStage, type Stage} from './scene.js'

/** Assigns the examples of commands to test files; together they run all. */
export type Part = 'operations' | 'everyday' | 'machine'

const RESOURCES = new Set<string>(operations.map(({resource}) => resource))

function partOf(id: string): Part {
  const [topic, verb] = id.split(':')
  if (verb === undefined) return 'everyday'
  return RESOURCES.has(topic!) ? 'operations' : 'machine'
}

/** Not used in examples: a pipe hides the exit codes of all but its last command. */
const NO_ERROR = expect.not.stringMatching(/^(Error|\{"error")/m) as string

/** The expected effect of an example, by its line. */
export type Deeds = Readonly<Record<string, (played: Played) => unknown>>

/** Runs every example of the commands of a part exactly as in the help, and checks the effects of some. */
export function playExamples(part: Part, deeds: Deeds): void {
  let stage: Stage
  beforeAll(async () => {
    stage = await buildStage()
  })
  afterAll(() => stage.close())

  const commands = Object.values(manifest.commands).filter(({id}) => partOf(id) === part)
  const lines = new Set<string>()
  for (const {id, examples = []} of commands) {
    if (examples.length === 0) continue
    const wishes = {
      isSignedOut: id === 'auth:login',
      hasTransfer: id.startsWith('transfers:'),
    }
    describe(id.replaceAll(':', ' '), () => {
      for (const example of examples) {
        const line = lineOf(example)
        lines.add(line)
        test(line, async ({skip}) => {
          skip(wishes.isSignedOut && missingKeyring !== undefined, missingKeyring)
          const played = await play(stage, line, wishes)
          const {code, stderr} = played
          expect({code, stderr}).toEqual({code: 0, stderr: NO_ERROR})
          await deeds[line]?.(played)
        })
      }
    })
  }

  test('each checked line is an example', () => {
    expect(Object.keys(deeds).filter(line => !lines.has(line))).toEqual([])
  })
}
