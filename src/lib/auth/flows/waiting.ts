import type {ChildProcess} from 'node:child_process'
import {createInterface, emitKeypressEvents} from 'node:readline'
import type {Readable, Writable} from 'node:stream'
import type {DeviceCode} from '#lib/auth/server/responses.js'

/** Instructions, keys and spinner while a sign-in waits for the browser. */

/**
 * Instructions for the device flow, with the code alone on its line for copying. `isHere`: the service is on this
 * machine, so it may be the local one.
 */
export function instructions(
  {verificationUri, userCode}: DeviceCode,
  {canPress, isHere}: {readonly canPress: boolean; readonly isHere: boolean},
): string {
  return [
    '',
    `  1. Open ${verificationUri}${canPress ? ' (Enter opens it in your browser)' : ''}`,
    `  2. Enter this code${canPress ? ' (c copies it)' : ''}:`,
    '',
    `        ${userCode}`,
    '',
    ...(isHere
      ? [
          '  For a local service (drv local serve), without a browser:',
          `  drv local approve ${userCode}`,
          '',
        ]
      : []),
    '',
  ].join('\n')
}

/** Instructions for the web flow, with the address alone on its line. */
export function webInstructions(address: string, canPress: boolean): string {
  const keys = canPress ? ' (Enter opens it, c copies it)' : ''
  return ['', `  Open this URL in a browser on this machine${keys}:`, '', address, '', ''].join(
    '\n',
  )
}

interface Keys {
  readonly onEnter: () => void
  /** The letter c. */
  readonly onCopy: () => void
  /** Ctrl-C, which sends no signal while single keys are read. */
  readonly onInterrupt: () => void
}

/** Calls back for each key until the returned function is called. */
export function listenForKeys(
  input: Readable & {setRawMode?: (on: boolean) => unknown},
  {onEnter, onCopy, onInterrupt}: Keys,
): () => void {
  if (!input.setRawMode) {
    const lines = createInterface({input, terminal: false})
    lines.on('line', line => (/^\s*c\s*$/i.test(line) ? onCopy() : onEnter()))
    return () => lines.close()
  }
  const onKey = (_: unknown, {name, ctrl}: {name?: string; ctrl?: boolean}) => {
    if (ctrl && name === 'c') onInterrupt()
    else if (name === 'return' || name === 'enter') onEnter()
    else if (name === 'c') onCopy()
  }
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.on('keypress', onKey)
  input.resume()
  return () => {
    input.off('keypress', onKey)
    input.setRawMode?.(false)
    input.pause()
  }
}

/** The escape sequence (OSC 52) that makes a terminal copy text to the clipboard. */
export function clipboardSequence(text: string): string {
  return `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`
}

/** An address as a QR code in the colors of the terminal; `undefined` if it is wider than `width` columns. */
export async function qrCode(address: string, width: number): Promise<string | undefined> {
  const {renderUnicodeCompact} = await import('uqr')
  const lines = renderUnicodeCompact(address, {border: 2}).split('\n')
  const indent = 8
  if (indent + (lines[0]?.length ?? Infinity) > width) return undefined
  const drawn = lines.map(line => `${' '.repeat(indent)}\u001B[97;40m${line}\u001B[0m\n`)
  return `${drawn.join('')}\n`
}

/**
 * Shows a spinner with the remaining time (`left`, milliseconds) until `stop` is called; `say` writes text above it.
 * `undefined` if the width is unknown: clearing the spinner would erase the code too.
 */
export async function spin(stream: Writable & {columns?: number}, left: () => number) {
  if (!stream.columns) return undefined
  const {default: ora} = await import('ora')
  const text = () => `Waiting for the browser (${clock(left())} left)`
  // The keys are read elsewhere, so the spinner must not discard standard input.
  const spinner = ora({text: text(), stream: stream, discardStdin: false}).start()
  const timer = setInterval(() => (spinner.text = text()), 1000)
  return {
    stop() {
      clearInterval(timer)
      spinner.stop()
    },
    say(text: string) {
      spinner.clear()
      stream.write(text)
      spinner.render()
    },
  }
}

/** Milliseconds as `14:05`; `0:00` for negative values. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Notice for when no browser opens. */
export const NO_BROWSER = 'Cannot open a browser. Open the URL yourself.'

/** Milliseconds after which a program that is still running counts as a browser. */
const LAUNCH_TIME = 1500

/**
 * Opens an http(s) address in the default browser or in `browser`; returns whether that worked. A program that exits
 * with an error at once, as `xdg-open` does without a browser, counts as failed.
 */
export async function openBrowser(
  address: string,
  browser?: string,
  launchTime = LAUNCH_TIME,
): Promise<boolean> {
  if (!/^https?:\/\//i.test(address)) return false
  const {default: open} = await import('open')
  return open(address, browser ? {app: {name: browser}} : {}).then(
    child => hasLaunched(child, launchTime),
    () => false,
  )
}

function hasLaunched(
  child: Pick<ChildProcess, 'exitCode' | 'once'>,
  launchTime: number,
): Promise<boolean> {
  return new Promise(resolve => {
    if (child.exitCode !== null) return resolve(child.exitCode === 0)
    const timer = setTimeout(() => resolve(true), launchTime)
    child.once('exit', code => {
      clearTimeout(timer)
      resolve(code === 0)
    })
  })
}
