import type {Context} from '#lib/cli/context/context.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import type {Row} from '#lib/cli/output/format.js'
import type {StartListening} from '#lib/cli/verbs/follow/follow.js'
import type {RowStream} from '#lib/cli/verbs/follow/row-stream.js'
import type {Listener} from '#lib/follow/listen.js'
import {changesSince, POLL_LIMITS, type Polling} from '#lib/follow/poll.js'
import {createWake} from '#lib/follow/wake.js'
import {trimMemory} from '#lib/platform/trim-memory.js'
import {changeParameters} from '#lib/transfer/sync/apply-changes.js'
import {hasNews, type TreeMark} from '#lib/transfer/sync/remembered-tree.js'
import {type RenewableClient, renewableClient} from './renewable-client.js'
import type {RoundProcesses} from './round-process.js'

/** What the process of the next rounds of `pull --follow` needs to know. */
export interface PullState {
  readonly root: string
  readonly identity: string | undefined
  readonly told: ReadonlySet<string>
  /** The list of changes, and the page token from which they are unknown. */
  readonly driveId: string | undefined
  readonly token: string
  /** How far the remembered tree is known. */
  readonly tree: TreeMark
}

interface Waiting {
  readonly rows: Pick<RowStream, 'print'>
  readonly signal: AbortSignal
  readonly startListening: StartListening | undefined
}

/** Numbers of requests without changes before which memory is released. */
const TRIMS = 8

/** The notice for a service that does not respond. */
export function outageText(error: unknown): string {
  return `The service does not respond: ${errorSentence(error)} Waiting until it responds again.`
}

interface TreePolling extends RenewableClient, Pick<Polling, 'pageToken' | 'params' | 'sleep'> {
  readonly listener: Listener | undefined
}

/** Polls for the changes of a tree. Continues after outages, which it reports, and after a new sign-in. */
export function pollTree(
  {note}: Pick<Context, 'note'>,
  {renew, listener, ...polling}: TreePolling,
): ReturnType<typeof changesSince> {
  return changesSince({
    ...polling,
    limits: () => listener?.limits() ?? POLL_LIMITS,
    onSignedOut: async () => ((await renew()) ? polling.client : undefined),
    onOutage: error => note(outageText(error)),
    onRecovery: () => note('The service responds again.'),
  })
}

/** Polls for changes, and starts a process for each series of rounds, until the signal aborts. */
export async function waitForChanges(
  context: Context,
  processes: RoundProcesses,
  {rows, signal, startListening}: Waiting,
): Promise<never> {
  const wake = createWake()
  signal.addEventListener('abort', () => wake.wake(), {once: true})
  const answers = {print: (row: Row) => rows.print(row)}
  let state = (await processes.run(undefined, answers)) as PullState
  const listeners = await startListening?.([{list: state.driveId, wake}])
  const listener = listeners?.get(state.driveId)
  const {client, renew} = renewableClient({...context, sleep}, await context.client())
  let trims = 0
  for (;;) {
    trims = 0
    await changed(state, listener)
    state = (await processes.run(state, answers)) as PullState
  }

  async function changed({token, driveId, tree}: PullState, listener?: Listener): Promise<void> {
    const params = {
      ...changeParameters(driveId === undefined ? {} : {driveId}),
      fields: 'nextPageToken,newStartPageToken,items(id)',
    }
    const pages = pollTree(context, {client, renew, sleep, listener, pageToken: token, params})
    for await (const page of pages) {
      if ('expired' in page) return
      listener?.polled(page.changes.length > 0)
      // A push of the same folder may have found something that has to be downloaded.
      if (page.changes.length > 0 || !page.isCurrent || hasNews(tree)) return
    }
  }

  /** Waits; rejects with the first signal. */
  async function sleep(milliseconds: number): Promise<void> {
    if (trims < TRIMS) trimMemory()
    trims += 1
    await wake.wait(milliseconds, context.sleep)
    signal.throwIfAborted()
  }
}
