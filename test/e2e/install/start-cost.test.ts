import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {startRecorder} from '../../support/recorder.js'

/**
 * The modules that a command loads and runs before its first request, or in total if it sends none. Times depend
 * on the machine; these numbers do not, and the time grows with each of them. If a change exceeds a limit, it
 * loads something at every start: import it where it is used.
 */

/** The output of `start-probe.cjs`. */
interface Cost {
  /** Modules of the bundle that ran, and the length of their text. */
  readonly modules: ReadonlyArray<readonly [name: string, bytes: number]>
  /** Node modules that were loaded. */
  readonly loaded: readonly string[]
  /** Constructors of `Intl` that were used: the first object of a kind may take as long as starting Node. */
  readonly intl: readonly string[]
  /** Characters of JSON that were parsed. */
  readonly parsed: number
}

const PROBE = fileURLToPath(new URL('../../support/start-probe.cjs', import.meta.url))

async function costOf(args: readonly string[]): Promise<Cost> {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  const {url} = await startRecorder(() => ({body: {kind: 'drive#file', id: 'A1', items: []}}))
  const file = join(path, 'cost.json')
  const {code, stderr} = await runDrv(args, {
    env: {
      ...freshEnvironment(path),
      DRV_BASE_URL: url,
      DRV_AUTH_URL: url,
      DRV_TOKEN: 'secret',
      NODE_OPTIONS: `--require "${PROBE}"`,
      START_PROBE: file,
    },
  })
  expect({code, stderr}).toEqual({code: 0, stderr: ''})
  return JSON.parse(readFileSync(file, 'utf8')) as Cost
}

const WITHOUT_OCLIF = {modules: 35, bytes: 25_000, parsed: 30_000, loaded: 15}
const WITH_REQUEST = {modules: 320, bytes: 440_000, parsed: 26_000, loaded: 64}

test.each([
  ['--version', {...WITHOUT_OCLIF, modules: 6, bytes: 2000, parsed: 5200}],
  ['--help', WITHOUT_OCLIF],
  ['files --help', WITHOUT_OCLIF],
  ['ls --help', WITHOUT_OCLIF],
  ['files get A1 --json', WITH_REQUEST],
  ['ls /', WITH_REQUEST],
])('%s loads and runs little', async (line, limits) => {
  const {modules, loaded, intl, parsed} = await costOf(line.split(' '))
  expect(intl).toEqual([])
  expect(modules.length).toBeGreaterThan(0)
  // Its patterns take half as long as starting Node; only help measures text.
  if (!line.includes('help')) {
    expect(modules.map(([name]) => name)).not.toContain('node_modules/string-width/index.js')
  }
  expect(modules.length, modules.map(([name]) => name).join('\n')).toBeLessThan(limits.modules)
  expect(modules.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(limits.bytes)
  expect(parsed).toBeLessThan(limits.parsed)
  const own = loaded.filter(name => !name.startsWith('internal/'))
  expect(own).not.toContain('child_process')
  expect(own).not.toContain('perf_hooks')
  expect(loaded.length, own.join(' ')).toBeLessThan(limits.loaded)
})
