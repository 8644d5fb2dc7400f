import type {ParameterTexts} from '#lib/client/client.js'
import {isObject, parseJson} from '#lib/platform/values.js'

/** The lines of a history file (NDJSON). They contain neither content nor tokens. */

/** The start of a run: a command that changes something. */
export interface RunLine {
  /** The ID of the run, at the start of each of its lines. */
  readonly run: string
  /** An RFC 3339 time. */
  readonly time: string
  readonly profile: string
  /** `local`, or the origin of the service. */
  readonly service: string
  /** The signed-in user, if known. */
  readonly account?: {readonly id?: string; readonly login?: string}
  /** The command line, without secrets. */
  readonly command: string
  /** The version of drv. */
  readonly drv: string
}

/** A change, written before its request is sent. */
export interface StepLine {
  readonly run: string
  /** Its number in the run, from 1. */
  readonly step: number
  readonly operation: string
  readonly params: ParameterTexts
  readonly body?: Readonly<Record<string, unknown>>
  /** Whether it sends content. */
  readonly hasContent?: true
  /** The path of the changed item, or its title, as far as known. */
  readonly item?: string
  /** The fields that it changes, as they were. */
  readonly before?: Readonly<Record<string, unknown>>
  /** The step that it reverses: `RUN/STEP`. */
  readonly undoes?: string
}

/** The upload session that sends the content of a step; or, without `step`, a session of an earlier run. */
export interface SessionLine {
  readonly run: string
  readonly step?: number
  /** A hash of the session's path, because the path itself grants access. */
  readonly session: string
}

/**
 * The result of a step. `unknown`: the request was sent and there is no clear response. `unsent`: the request was not sent.
 */
export type StepState = 'done' | 'failed' | 'unknown' | 'unsent'

/** The result of a step, of this run or of the session of an earlier one. */
export interface ResultLine {
  readonly run: string
  readonly step?: number
  readonly session?: string
  readonly result: StepState
  /** Facts from the response, such as the ID and the ETag. */
  readonly record?: Readonly<Record<string, unknown>>
  /** The fields that it changed, if they were read in the same request. */
  readonly before?: Readonly<Record<string, unknown>>
  /** The reason of a failure. */
  readonly error?: string
}

export type HistoryLine = RunLine | StepLine | SessionLine | ResultLine

/** Reads a line; `undefined` for an incomplete or unknown one. */
export function parseLine(text: string): HistoryLine | undefined {
  const value = parseJson(text)
  if (!isObject(value) || typeof value.run !== 'string') return undefined
  const hasStep = Number.isSafeInteger(value.step)
  const isKnown =
    (isText(value.time) && isText(value.command) && isText(value.service)) ||
    (hasStep && isText(value.operation) && isObject(value.params)) ||
    (isText(value.result) && (hasStep || isText(value.session))) ||
    isText(value.session)
  return isKnown ? (value as unknown as HistoryLine) : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
