import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {existsSync, openSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {expect, onTestFinished, test} from 'vitest'
import {BINARY, freshEnvironment, startDrv, temporaryFolder} from '../../support/drv.js'
import {localToken} from '../../support/world.js'

/**
 * A follower of a service that fails, while both are killed again and again. The full size takes some
 * minutes: `FOLLOW_CHANGES=1000 FOLLOW_KILLS=20 FOLLOW_RESTARTS=5`, also with `FOLLOW_EXEC=1`.
 */

const sizeOf = (name: string, usual: number) => Number(process.env[name] ?? usual)
const CHANGES = sizeOf('FOLLOW_CHANGES', 40)
const KILLS = sizeOf('FOLLOW_KILLS', 2)
const RESTARTS = sizeOf('FOLLOW_RESTARTS', 1)

const FAULTS = {
  rules: [
    {operations: '*', fault: 'status', status: 503, probability: 0.1},
    {operations: '*', fault: 'lose', probability: 0.05},
    {operations: '*', fault: 'rateLimit', perSecond: 40},
  ],
}

test(
  'every change is handed over, in order, and twice only after a kill',
  {timeout: 60_000 + CHANGES * 1000},
  async () => {
    const {path: folder, remove} = temporaryFolder()
    const data = join(folder, 'data')
    const faults = join(folder, 'faults.json')
    const out = join(folder, 'out.ndjson')
    writeFileSync(faults, JSON.stringify(FAULTS))
    const env = freshEnvironment(join(folder, 'home'))
    let service = await startService()
    const {url} = service
    const {port} = new URL(url)
    Object.assign(env, {DRV_BASE_URL: url, DRV_AUTH_URL: url, DRV_TOKEN: await localToken(data)})
    const root = (await ask('GET', 'files/root')).id as string
    const folders = [await insert('in', root, true), await insert('out', root, true)] as const
    let follower = startFollower()
    onTestFinished(async () => {
      await Promise.all([kill(follower), kill(service.child)])
      remove()
    })
    await expect.poll(() => existsSync(join(folder, 'checkpoint')), {timeout: 30_000}).toBe(true)
    const start = await tokenWhenFollowing()

    const [killEvery, restartEvery] = [KILLS, RESTARTS].map(number =>
      Math.floor(CHANGES / (number + 1)),
    )
    const files: string[] = []
    let [kills, restarts] = [0, 0]
    for (let count = 1; count <= CHANGES; count += 1) {
      await change(count)
      if (kills < KILLS && count % killEvery! === 0) {
        await kill(follower)
        kills += 1
        follower = startFollower()
      }
      if (restarts < RESTARTS && count % restartEvery! === Math.floor(restartEvery! / 2)) {
        await kill(service.child)
        restarts += 1
        await wait(300)
        service = await startService(port)
      }
    }
    const expected = await changesSince(start)
    const seen = () => new Set(handedOver().map(({changeId}) => changeId))
    const missing = () => expected.filter(({id}) => !seen().has(id)).length
    await expect.poll(missing, {timeout: 120_000, interval: 500}).toBe(0)
    const ended = once(follower, 'exit')
    follower.kill('SIGTERM')
    expect(await ended).toEqual([0, null])

    const rows = handedOver()
    const ids = rows.map(({changeId}) => Number(changeId))
    const repeated = ids.length - new Set(ids).size
    const inOrder = ids.every((id, at) => at === 0 || id > ids[at - 1]! || ids.indexOf(id) < at)
    console.info(
      `${CHANGES} changes, ${expected.length} reported by the service in the end, ${rows.length} handed over, ${repeated} twice; ${kills} kills, ${restarts} restarts.`,
    )
    expect({inOrder, kills, restarts}).toEqual({inOrder: true, kills: KILLS, restarts: RESTARTS})
    // Between the write and its record.
    expect(repeated).toBeLessThanOrEqual(KILLS)
    const created = rows.filter(({kind}) => String(kind).startsWith('created'))
    expect(new Set(created.map(({id}) => id)).size).toBe(files.length)

    /** A file is created, and an earlier one changed: those that were handed over long ago, and others. */
    async function change(count: number): Promise<void> {
      if (count % 3 > 0 || files.length < 3) {
        files.push(await insert(`file ${count} – ünïcode`, folders[0], false))
        return
      }
      const file = files[(count * 7) % files.length]!
      const body = [
        {title: `renamed ${count}`},
        {description: `described ${count}`},
        {labels: {trashed: count % 2 === 0}},
      ][(count / 3) % 3]
      await ask('PATCH', `files/${file}`, body)
    }

    function startFollower(): ChildProcess {
      const args = ['/in', '--checkpoint', join(folder, 'checkpoint'), '--format', 'ndjson']
      if (process.env.FOLLOW_EXEC) args.push('--shell', '--exec', 'cat')
      const stdio = ['ignore', openSync(out, 'a'), 'ignore'] as const
      return spawn(process.execPath, [BINARY, 'follow', ...args], {env, stdio: [...stdio]})
    }

    async function tokenWhenFollowing(): Promise<string> {
      const file = () => readFileSync(join(folder, 'checkpoint'), 'utf8')
      await expect.poll(file, {timeout: 30_000}).toContain('"position"')
      return /"token":"(\d+)"/.exec(file())![1]!
    }

    function handedOver(): ReadonlyArray<Record<string, unknown>> {
      const lines = readFileSync(out, 'utf8').split('\n').filter(Boolean)
      return lines.map(line => JSON.parse(line) as Record<string, unknown>)
    }

    async function changesSince(token: string): Promise<ReadonlyArray<{id: string}>> {
      const found: Array<{id: string; fileId: string}> = []
      for (let pageToken: string | undefined = token; pageToken;) {
        const query = new URLSearchParams({pageToken, maxResults: '1000'})
        const {items, nextPageToken} = await ask('GET', `changes?${query}`)
        found.push(...(items as typeof found))
        pageToken = nextPageToken as string | undefined
      }
      const own = new Set(files)
      return found.filter(({fileId}) => own.has(fileId))
    }

    async function insert(title: string, parent: string, isFolder: boolean): Promise<string> {
      const {ids} = await ask('GET', 'files/generateIds?maxResults=1')
      const id = (ids as string[])[0]!
      const mimeType = isFolder ? 'application/vnd.google-apps.folder' : 'text/plain'
      await ask('POST', 'files', {id, title, mimeType, parents: [{id: parent}]})
      return id
    }

    /** Repeats a request until it is answered; one that was carried out already counts. */
    async function ask(
      method: string,
      path: string,
      body?: object,
    ): Promise<Record<string, unknown>> {
      for (;;) {
        const headers = {
          authorization: `Bearer ${env.DRV_TOKEN}`,
          'content-type': 'application/json',
        }
        const text = body && JSON.stringify(body)
        const answer = await fetch(`${url}/drive/v2/${path}`, {method, headers, body: text}).catch(
          () => undefined,
        )
        if (answer?.ok) {
          const record = await answer.json().catch(() => undefined)
          if (record !== undefined) return record as Record<string, unknown>
        }
        if (answer?.status === 409) return {}
        if (answer && answer.status < 429) throw new Error(await answer.text())
        await wait(answer?.status === 429 ? 100 : 10)
      }
    }

    async function startService(port = '0') {
      const args = ['local', 'serve', '--data', data, '--port', port, '--faults', faults]
      const child = startDrv(args, {env, cwd: folder})
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      return {child, url: (JSON.parse(line.toString()) as {base_url: string}).base_url}
    }
  },
)

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
