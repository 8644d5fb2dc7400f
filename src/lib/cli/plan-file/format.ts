import type {OperationId} from '#lib/api/operations.js'
import type {Extent} from '#lib/cli/changes/change.js'
import type {LocalTarget} from '#lib/cli/guard/curl.js'
import type {Effect} from '#lib/cli/guard/destroys.js'
import type {CallInput, Page} from '#lib/client/client.js'

/**
 * Plan files: the changes of a command as lines of JSON, to review them and apply them later. The first line
 * is the head, then one line for each step in executable order, then the end. A plan never contains tokens.
 * Anyone may have edited it, so reading checks everything (`read-step.ts`).
 */

/** The version of the format. */
export const PLAN_VERSION = 1

/** Maximum number of steps that one step can wait for. */
export const MOST_AFTER = 1000

/** The first line of a plan. */
export interface PlanHead {
  readonly plan: typeof PLAN_VERSION
  /** A random ID, which checkpoints refer to. */
  readonly id: string
  /** ISO 8601. */
  readonly time: string
  /** The version of drv. */
  readonly drv: string
  /** The command line, without secrets. */
  readonly command: string
  /** The service: `Settings.binding`. */
  readonly service: string
  /** The account at the service (`account.ts`); null if unknown. */
  readonly account: PlanAccount | null
  /** The absolute local folder that contains every local path; null without local paths. */
  readonly root: string | null
}

/** An account: the ID and email address that `about.get` returns. */
export interface PlanAccount {
  readonly id?: string
  readonly login?: string
}

/** A change on this machine alone: creates a folder, or moves an item to `.drv-trash`. */
export type LocalChange = 'mkdir' | 'remove'

/** A step: one request, one transfer, or one change on this machine. */
export interface PlanStep {
  /** A number from 1, unique in the plan: `1`, `2`. */
  readonly key: string
  /** The action in one word, as in a dry run. */
  readonly action: string
  /** The item, as people know it. */
  readonly label: string
  readonly effect: Exclude<Effect, 'reads'>
  /** The request; omitted for a change on this machine. */
  readonly operation?: OperationId
  readonly params?: CallInput['params']
  readonly body?: Readonly<Record<string, unknown>>
  /** The ETag of the item as it was found. */
  readonly etag?: string
  /** Fields of the item as they were found, to compare if the service has no ETag: `{"version":"7"}`. */
  readonly found?: Page
  /** The remote path of the item as it was found. */
  readonly path?: string
  /** What the step destroys or removes. */
  readonly impact?: Extent
  /** Keys of earlier steps that must succeed first. */
  readonly after?: readonly string[]
  /** The content to upload. */
  readonly local?: PlanLocalFile
  /** The local path that a download or a change on this machine writes to. */
  readonly output?: PlanOutput
  readonly here?: LocalChange
  /** Runs after all other steps; if one of them failed, it is skipped for this reason. */
  readonly afterAll?: string
  /** Only prepares or completes another step. */
  readonly aside?: true
  /** The change in the history that the step reverses: `RUN/STEP`. */
  readonly undoes?: string
  /** The fields that the step changes as they were found, for the history. */
  readonly before?: Page
}

/** A local file as it was when the plan was made. */
export interface PlanLocalFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** In hexadecimal. */
  readonly md5: string
  readonly mimeType?: string
}

/** The target of a download or a change on this machine; `before` is the local file as it was when the plan was made. */
export interface PlanOutput extends LocalTarget {
  /** Relative to the root, with `/`. */
  readonly path: string
}

/** The last line; a plan without it is incomplete. */
export interface PlanEnd {
  readonly end: {readonly steps: number}
}

export type PlanLine = PlanHead | PlanStep | PlanEnd

/** A line of a plan file. */
export function formatLine(line: PlanLine): string {
  return `${JSON.stringify(line)}\n`
}
