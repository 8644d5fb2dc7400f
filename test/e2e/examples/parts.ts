import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {operations} from '#lib/api/operations.js'
import {lineOf} from '#lib/cli/help/command-entries.js'
import {manifest} from '../../lib/cli/help/installed.js'
import {missingKeyring} from '../../support/keyring.js'
import {play, type Played} from './play.js'
import {buildStage, type Stage} from './scene.js'

/** Which test file runs the examples of which commands; together they run all. */
export type Part = 'operations' | 'everyday' | 'machine'

const RESOURCES = new Set<string>(operations.map(({resource}) => resource))

function partOf(id: string): Part {
  const [topic, verb] = id.split(':')
  if (verb === undefined) return 'everyday'
  return RESOURCES.has(topic!) ? 'operations' : 'machine'
}

/** Neither for people nor for programs: a pipe hides how all but its last command end. */
const NO_ERROR = expect.not.stringMatching(/^(Error|\{"error")/m) as string

/** What an example has to have done, by its line. */
export type Deeds = Readonly<Record<string, (played: Played) => unknown>>

/** Runs every example of a part's commands as it stands in the help, and looks at what some have done. */
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

  test('what is looked at was done by an example', () => {
    expect(Object.keys(deeds).filter(line => !lines.has(line))).toEqual([])
  })
}
