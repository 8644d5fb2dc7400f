import {spawnSync} from 'node:child_process'
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {runDrv, temporaryFolder} from '../../support/drv.js'
import {readersMachine, runShell, shellOf} from '../../support/guide.js'

/** The claims of the README are true, and its commands work as written, on a fresh machine. */

const root = fileURLToPath(new URL('../../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** A fresh machine for one test. */
function machine() {
  const {path: home, remove} = temporaryFolder()
  onTestFinished(remove)
  return readersMachine(home)
}

test('its commands work, one after the other', async () => {
  const env = await machine()
  const scripts = shellOf(readme)
  expect(scripts.length).toBeGreaterThan(0)
  for (const {line, text} of scripts) {
    const {code, stderr} = await runShell(text, env)
    expect(stderr).not.toMatch(/^Error/m)
    expect(code, `the block in line ${line}: ${stderr}`).toBe(0)
  }
})

test('it fits three screens of 105 columns', () => {
  const lines = readme.split('\n')
  expect(lines.length).toBeLessThanOrEqual(3 * 40)
  const isLong = (line: string) => line.length > 105 && !line.startsWith('|')
  expect(lines.filter(isLong)).toEqual([])
})

test('every link leads to a file', () => {
  const links = [...readme.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path]) => path!)
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter(path => !existsSync(join(root, path)))).toEqual([])
})

test('the size of the packed file is correct', () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent']
  const {stdout} = spawnSync('npm', pack, {cwd: root, encoding: 'utf8'})
  const [{size}] = JSON.parse(stdout) as [{size: number}]
  expect(readme).toContain(`copy the file (${(size / 1024 ** 2).toFixed(1)} MiB)`)
})

test('the changelog starts with the version of the package', () => {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const [, newest] = /^## (\S+)/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) ?? []
  expect(newest).toBe(version)
})

test('drv prints the version of the package', async () => {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  expect((await runDrv(['--version'], {env: await machine()})).stdout).toContain(`drv/${version}`)
})
