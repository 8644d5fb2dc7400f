/** The words for an action. */
export interface ActionWords {
  readonly past: string
  readonly base: string
  /** The rest of the sentence: `{thing}` and other fields of a change; text in brackets is dropped with an empty field. */
  readonly text: string
  /** The noun for items that are not files. */
  readonly noun?: string
  /** Whether the result includes the size. */
  readonly isSized?: boolean
}

const words = (
  past: string,
  base: string,
  text: string,
  more: Partial<ActionWords> = {},
): ActionWords => ({
  past,
  base,
  text,
  ...more,
})

const drive = {noun: 'shared drive'}
const property = {noun: 'property'}
const revision = {noun: 'revision'}
const ACCESS = '{thing}[ with {who}][ ({grant})]'

/** The words for every action, in past tense for results and in base form for dry runs. */
const ACTIONS = {
  copy: words('Copied', 'copy', '{thing}[ to {to}]', {isSized: true}),
  create: words('Created', 'create', '{thing}[ in {to}]'),
  'create drive': words('Created', 'create', '{thing}', drive),
  delete: words('Deleted', 'permanently delete', '{thing}'),
  'delete drive': words('Deleted', 'permanently delete', '{thing}', drive),
  'delete property': words('Deleted', 'delete', '{thing}[ of {of}]', property),
  'delete revision': words('Deleted', 'permanently delete', '{thing}[ of {of}]', revision),
  'change role': words(
    'Changed',
    'change',
    'the role[ of {who}] on {thing}[ from {from}][ to {role}]',
  ),
  download: words('Downloaded', 'download', '{thing}[ to {to}]', {isSized: true}),
  'empty trash': words(
    'Emptied',
    'permanently delete everything in',
    'the trash[ of {name}][{size}]',
  ),
  'hide drive': words('Hid', 'hide', '{thing}', drive),
  keep: words('Kept', 'keep', 'the existing {thing}[ in {to}]'),
  'keep role': words('Kept', 'keep', 'the role[ of {who}] on {thing}[ ({role})]'),
  label: words('Updated', 'update', 'the labels of {thing}'),
  link: words('Created', 'create', 'a shortcut to {thing}[ at {to}]'),
  move: words('Moved', 'move', '{thing}[ from {from}][ to {to}]'),
  remove: words('Removed', 'remove', '{thing}[ from {from}]'),
  rename: words('Renamed', 'rename', '{thing}[ to {title}]'),
  restore: words('Restored', 'restore', '{thing} from the trash'),
  'set property': words('Set', 'set', '{thing}[ to {value}][ on {of}]', property),
  share: words('Shared', 'share', ACCESS),
  'stop channel': words('Stopped', 'stop', '{thing}', {noun: 'channel'}),
  star: words('Starred', 'star', '{thing}'),
  touch: words('Touched', 'touch', '{thing}'),
  trash: words('Moved', 'move', '{thing} to the trash'),
  'unhide drive': words('Unhid', 'unhide', '{thing}', drive),
  unstar: words('Unstarred', 'unstar', '{thing}'),
  unshare: words('Stopped', 'stop', 'sharing {thing}[ with {who}]'),
  update: words('Updated', 'update', '{thing}'),
  'update content': words('Updated', 'update', '{thing}', {isSized: true}),
  'update drive': words('Updated', 'update', '{thing}', drive),
  'update revision': words('Updated', 'update', '{thing}[ of {of}]', revision),
  upload: words('Uploaded', 'upload', '{thing}[ to {to}]', {isSized: true}),
} as const satisfies Record<string, ActionWords>

export type Action = keyof typeof ACTIONS

/** The words of an action. */
export function actionWords(action: Action): ActionWords {
  return ACTIONS[action]
}
