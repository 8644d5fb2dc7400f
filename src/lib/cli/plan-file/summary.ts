import type {OperationId} from '#lib/api/operations.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import type {PlanStep} from './format.js'

/** Counts the steps of a plan by what they do: `12 to create, 3 to change, 40 to trash`. Pure. */

/** In the order of the summary. */
const KINDS = [
  ...(['create', 'change', 'restore', 'share', 'stop sharing'] as const),
  ...(['trash', 'remove', 'delete', 'empty'] as const),
]

type Kind = (typeof KINDS)[number]

const OPERATIONS: Partial<Readonly<Record<OperationId, Kind>>> = {
  'files.insert': 'create',
  'files.copy': 'create',
  'drives.insert': 'create',
  'files.untrash': 'restore',
  'permissions.insert': 'share',
  'permissions.delete': 'stop sharing',
  'files.trash': 'trash',
  'children.delete': 'remove',
  'parents.delete': 'remove',
  'files.delete': 'delete',
  'files.emptyTrash': 'empty',
  'drives.delete': 'delete',
  'revisions.delete': 'delete',
  'properties.delete': 'delete',
}

function kindOf({operation, here, output}: PlanStep): Kind {
  if (here !== undefined) return here === 'mkdir' ? 'create' : 'remove'
  if (output) return output.overwrite ? 'change' : 'create'
  return (operation && OPERATIONS[operation]) ?? 'change'
}

/** `3 to trash` */
function countText(kind: Kind, number: number): string {
  if (kind === 'empty') return `${number} ${number === 1 ? 'trash' : 'trashes'} to empty`
  return `${number.toLocaleString('en')} to ${kind === 'stop sharing' ? 'unshare' : kind}`
}

/** The number of steps of each kind, and the bytes to transfer. */
export interface PlanSummary {
  add(step: PlanStep): void
  /** The number of all steps. */
  readonly steps: number
  /** `12 to create, 3 to change, 1.2 GiB to upload`; `no changes` for an empty plan. */
  text(): string
  /** The same for programs. */
  record(): Readonly<Record<string, number>>
}

export function createPlanSummary(): PlanSummary {
  const counts = new Map<Kind, number>()
  const bytes = {upload: 0, download: 0}
  let steps = 0
  const counted = () =>
    KINDS.flatMap(kind => {
      const number = counts.get(kind)
      return number === undefined ? [] : [[kind, number] as const]
    })
  const moved = () => Object.entries(bytes).filter(([, size]) => size > 0)
  return {
    add(step) {
      const kind = kindOf(step)
      steps += 1
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      bytes.upload += step.local?.size ?? 0
      bytes.download += step.output?.size ?? 0
    },
    get steps() {
      return steps
    },
    text() {
      if (steps === 0) return 'no changes'
      return [
        ...counted().map(([kind, number]) => countText(kind, number)),
        ...moved().map(([way, size]) => `${sizeText(size)} to ${way}`),
      ].join(', ')
    },
    record: () => ({
      steps,
      ...Object.fromEntries(counted()),
      ...Object.fromEntries(moved().map(([way, size]) => [`${way}Bytes`, size])),
    }),
  }
}
