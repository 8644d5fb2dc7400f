import {type ChildProcess, spawn} from 'node:child_process'
import {createInterface} from 'node:readline'
import {BINARY} from '../test/support/drv.js'
import {SILENCE} from './faults.js'

/** Reports each simulated failure of a running service, as its log names it, until the service ends. */
export function watchStrikes(
  data: string,
  env: Readonly<Record<string, string>>,
  onStrike: (kind: string) => void,
): ChildProcess {
  const argv = ['local', 'log', '--follow', '--format', 'ndjson', '--data', data]
  const child = spawn(process.execPath, [BINARY, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  createInterface({input: child.stdout}).on('line', line => {
    // The service may be killed while it writes a line.
    const {fault, status, milliseconds} = line.endsWith('}') ? JSON.parse(line) : {}
    if (fault === 'status') onStrike(`status ${status}`)
    // The client gives up before the service does.
    else if (fault) onStrike(milliseconds > (SILENCE * 1000) / 2 ? 'silence' : fault)
  })
  return child
}
