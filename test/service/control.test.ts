import {mkdirSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {hostname} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {ClockError, createClock} from '#lib/service/clock.js'
import {runningServices} from '#lib/service/control/running.js'
import {sendControl} from '#lib/service/control/send.js'
import {startTestService} from './harness.js'

/** What the owner of a data directory tells the service that runs on it. */

async function startControlled() {
  const service = await startTestService({isControlled: true})
  let isOpen = true
  const end = async () => {
    if (isOpen) await service.close()
    isOpen = false
  }
  onTestFinished(end)
  return {...service, end, folder: join(service.directory, 'running')}
}

test('only who can read a private file of the data directory can move the clock', async () => {
  const {directory, url, folder, end, ...service} = await startControlled()
  const [found, ...others] = runningServices(directory)
  expect(others).toEqual([])
  expect(found!.url).toBe(url)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const [name] = readdirSync(folder)
  expect(statSync(join(folder, name!)).mode & 0o777).toBe(0o600)

  const start = service.clock.now
  expect(await sendControl(found!, 'clock')).toEqual({now: start})
  expect(await sendControl(found!, 'clock', {to: start + 60_000})).toEqual({now: start + 60_000})
  await expect(sendControl(found!, 'clock', {to: start})).rejects.toRead()
  await expect(sendControl(found!, 'clock', {to: 'soon'})).rejects.toRead()
  await expect(sendControl(found!, 'shutdown')).rejects.toRead()

  const unknown = await service.send('POST', '/.drv/nothing', {token: null})
  const refusal = (await unknown.text()).replaceAll('nothing', 'control')
  const guesses: Record<string, string>[] = [{}, {'x-drv-control': 'guessed'}]
  for (const headers of guesses) {
    const answer = await service.send('POST', '/.drv/control', {token: null, headers})
    expect(answer.status).toBe(unknown.status)
    expect(await answer.text()).toBe(refusal)
  }
  await end()
  expect(runningServices(directory)).toEqual([])
})

test('what a killed service left behind is removed, what is not understood is not used', async () => {
  const {directory, folder} = await startControlled()
  const ended = {
    url: 'http://127.0.0.1:1',
    secret: 's',
    process: '1 2',
    host: hostname(),
  }
  const write = (name: string, text: string) =>
    writeFileSync(join(folder, name), text, {mode: 0o600})
  write('1.json', JSON.stringify(ended))
  write('2.json', 'no JSON')
  write('3.json', '{}')
  writeFileSync(join(folder, '4.json'), JSON.stringify({...ended, process: undefined}), {
    mode: 0o644,
  })
  expect(runningServices(directory)).toHaveLength(1)
  expect(readdirSync(folder)).not.toContain('1.json')
  rmSync(folder, {recursive: true})
  mkdirSync(folder, {mode: 0o755})
  expect(runningServices(directory)).toEqual([])
})

test('a clock moves forwards only, and back to the time of the system', () => {
  let time = 1000
  const clock = createClock(
    () => time - 500,
    () => time,
  )
  expect(clock.now()).toBe(500)
  clock.moveTo('real')
  expect(clock.now()).toBe(1000)
  clock.moveTo(5000)
  time += 1
  expect(clock.now()).toBe(5001)
  for (const past of [5000, 'real'] as const) expect(() => clock.moveTo(past)).toThrow(ClockError)
  clock.reset()
  expect(clock.now()).toBe(501)
})
