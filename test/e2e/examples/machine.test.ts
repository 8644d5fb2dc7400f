import {expect} from 'vitest'
import {playExamples} from './parts.js'
import type {Played} from './play.js'

/** The settings of a profile in the configuration. */
const profile = ({read}: Played, name = 'home') =>
  JSON.parse(read('config/drv/config.json')).profiles[name] as
    {readOnly?: boolean; tokens?: Record<string, {store: string}>} | undefined
const stores = (played: Played, name?: string) =>
  Object.values(profile(played, name)?.tokens ?? {}).map(({store}) => store)
const json = (text: string) => JSON.parse(text) as any

playExamples('machine', {
  'drv api call drive.files.get --fileId /Reports/q3.pdf --fields id,title': ({stdout}) =>
    expect(stdout).toContain('q3.pdf'),
  'drv api call shelf.books.list --description books.json': ({stdout}) =>
    expect(stdout).toContain('Emma'),
  'drv api describe --json > drive.json': ({read}) =>
    expect(json(read('work/drive.json'))).toMatchObject({name: 'drive'}),
  'drv api diff released.json next.json': ({stdout}) =>
    expect(stdout).toContain('shelf.books.count'),
  'drv api types files.list files.get > drive.ts': ({read}) =>
    expect(read('work/drive.ts')).toContain('interface'),
  'drv auth login': played => expect(stores(played)).toEqual(['keychain']),
  'drv auth login --web': played => expect(stores(played)).toEqual(['keychain']),
  'drv auth login --scope drive.readonly --read-only': played =>
    expect(profile(played)).toMatchObject({readOnly: true}),
  'drv auth login --with-token < token.txt': played => expect(stores(played)).toEqual(['keychain']),
  'drv auth logout': played => expect(stores(played)).toEqual([]),
  'drv auth logout --profile work': played =>
    expect([stores(played), stores(played, 'work')]).toEqual([['file'], []]),
  'drv auth remove work --yes': played => expect(profile(played, 'work')).toBeUndefined(),
  'drv auth status --quiet && echo yes': ({stdout}) => expect(stdout).toMatch(/yes\n$/),
  'drv auth switch work': ({read}) =>
    expect(json(read('config/drv/config.json'))).toMatchObject({profile: 'work'}),
  'DRV_TOKEN="$(drv auth token)" sh script.sh': ({read}) =>
    expect(json(read('work/list.json')).items).not.toEqual([]),
  'drv local approve "$CODE" --as ada': ({stdout}) => expect(stdout).toContain('user\tada\n'),
  'drv local approve "$CODE" --deny': ({stdout}) => expect(stdout).toContain('approved\tfalse\n'),
  'drv local app create "Photo Sync" --device-flow': ({stdout}) =>
    expect(stdout).toContain('Photo Sync'),
  'drv local export': ({stdout}) => expect(stdout).toContain('title: Reports'),
  'drv local export --with-content -o seed-copy.yaml': ({read}) =>
    expect(read('work/seed-copy.yaml')).toContain('title: Reports'),
  'drv local run -- drv files insert report.pdf': ({stdout}) =>
    expect(stdout).toContain('report.pdf'),
  'drv local run --faults faults.json -- sh script.sh': ({read}) =>
    expect(json(read('work/list.json')).items).toEqual([]),
  'drv local run --seed seed.yaml -- drv ls': ({stdout}) => expect(stdout).toContain('plan.txt'),
  'drv local serve --port "$PORT" --data data': ({stdout}) =>
    expect(json(stdout)).toMatchObject({base_url: expect.stringMatching(/^http:.*:\d+$/)}),
  'drv local user delete ada --yes': ({stderr}) => expect(stderr).toContain('Deleted'),
  'drv transfers discard --all': ({stdout}) => expect(stdout).toContain('discarded'),
  'drv transfers resume': ({read}) => expect(read('work/q3.pdf')).toContain('second'),
  'drv transfers resume "$KEY"': ({read}) => expect(read('work/q3.pdf')).toContain('second'),
})
