import {join} from 'node:path'
import {measure} from './process.js'
import {race} from './race.js'
import {type Bench, drv, root} from './service.js'
import {median, row} from './table.js'

const ROUNDS = 15

/**
 * Compares the start of `drv` with bare Node, another oclif tool, and a script of ten lines with the generated
 * client for the same call, if `BENCH_CLIENTS` names a directory with it in `node_modules`.
 */
export async function startup({env, call, url, token}: Bench): Promise<void> {
  const {id} = await call('POST', 'files', {title: 'bench'})
  const clients = process.env.BENCH_CLIENTS
  const generated = {
    name: 'the generated Node client, the same call',
    args: [join(root, 'bench/get-client.mjs'), clients!, url, token, id],
  }
  const contenders = [
    {name: 'node -e 0', args: ['-e', '0']},
    {
      name: 'oclif --version (another oclif tool)',
      args: [join(root, 'node_modules/oclif/bin/run.js'), '--version'],
    },
    {name: 'drv --version', args: [...drv, '--version']},
    {name: 'drv ls --help', args: [...drv, 'ls', '--help']},
    {name: 'a Tab: flags', args: [...drv, '__complete', 'zsh', 'files', 'list', '--col']},
    {
      name: 'a Tab: a path looked up before',
      args: [...drv, '__complete', 'zsh', 'files', 'get', '/b'],
    },
    {name: 'drv files get ID --json', args: [...drv, 'files', 'get', id, '--json']},
    {name: 'drv ls /', args: [...drv, 'ls', '/']},
    ...(clients ? [generated] : []),
  ].map(({name, args}) => ({name, run: () => measure(process.execPath, args, env)}))
  // The first round only warms the disk cache and V8's compile cache.
  await race(contenders, 1)
  const costs = await race(contenders, ROUNDS)
  const times = contenders.map(({name}) => median(costs.get(name)!.map(({seconds}) => seconds)))
  row(`start-up, ${ROUNDS} rounds`, 'median ms', '/ node -e 0', '/ oclif')
  for (const [index, {name}] of contenders.entries()) {
    const time = times[index]!
    row(
      name,
      (time * 1000).toFixed(0),
      (time / times[0]!).toFixed(2),
      (time / times[1]!).toFixed(2),
    )
  }
  if (!clients) console.log('BENCH_CLIENTS is not set: no generated Node client.')
}
