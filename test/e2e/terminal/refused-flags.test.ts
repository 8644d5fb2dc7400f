import {readFileSync} from 'node:fs'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Global flags that mean nothing for a command are neither listed nor accepted. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

const manifest = JSON.parse(
  readFileSync(new URL('../../../oclif.manifest.json', import.meta.url), 'utf8'),
)
const commands = Object.values(manifest.commands) as ReadonlyArray<{
  readonly id: string
  readonly effect: string
  readonly args?: Readonly<Record<string, {readonly required?: boolean}>>
  readonly flags?: Readonly<Record<string, {readonly hidden?: boolean}>>
}>
const hides = (flag: string) =>
  commands.filter(({flags = {}}) => flags[flag]?.hidden).map(({id}) => id.replaceAll(':', ' '))

test('only commands that change something list --plan, and only those and requests --dry-run', () => {
  const reading = commands.filter(({effect}) => effect === 'reads')
  expect(hides('plan')).toEqual(
    expect.arrayContaining(reading.map(({id}) => id.replaceAll(':', ' '))),
  )
  expect(hides('dry-run')).toEqual(
    expect.arrayContaining([
      ...['plan show', 'plan status', 'history', 'config get', 'config list', 'auth policy list'],
      ...['auth status', 'auth list', 'alias list', 'transfers list', 'api describe', 'completion'],
    ]),
  )
  const changing = commands.filter(({effect}) => effect !== 'reads')
  for (const {id} of changing) expect(hides('dry-run')).not.toContain(id.replaceAll(':', ' '))
  for (const name of ['ls', 'files list', 'push', 'undo', 'api call']) {
    expect(hides('dry-run')).not.toContain(name)
  }
  for (const name of ['push', 'undo', 'api call', 'files trash', 'share']) {
    expect(hides('plan')).not.toContain(name)
  }
})

test('a command refuses a flag that it does not list', async () => {
  const isComplete = ({args = {}}: (typeof commands)[number]) =>
    !Object.values(args).some(({required}) => required)
  for (const flag of ['plan', 'dry-run']) {
    const refusing = commands.filter(
      one => one.flags?.[flag]?.hidden && isComplete(one) && one.effect === 'reads',
    )
    expect(refusing.length).toBeGreaterThan(15)
    for (const {id} of refusing) {
      const name = id.replaceAll(':', ' ')
      const args = flag === 'plan' ? ['--plan', '-'] : ['--dry-run']
      const {code, stderr} = await world.run(name, args)
      expect(code, name).toBe(2)
      expect(stderr, name).toMatch(
        new RegExp(`^Error: (--${flag} cannot be used with \`drv ${name}\`: it changes |Missing )`),
      )
    }
  }
})
