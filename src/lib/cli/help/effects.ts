import {changesSomething} from '#lib/api/effects.js'
import {kebabCase} from '#lib/api/names.js'
import {operations} from '#lib/api/operations.js'
import {destroys, lossOf} from '#lib/cli/guard/destroys.js'

/** What a command does to what is there, for programs that decide whether to run it. */

export type Effect =
  /** It changes nothing. */
  | 'reads'
  /** What it changes can be changed back. */
  | 'changes'
  /** Depending on flags, or on what is there, nothing brings back what it takes away. */
  | 'may destroy'
  /** Nothing brings back what it takes away. */
  | 'destroys'

/** Commands that are no operation of the service, or that do more than theirs. */
const OTHERS: Readonly<Record<string, Effect>> = {
  // Whatever method is named.
  'api call': 'may destroy',
  'api describe': 'reads',
  'api diff': 'reads',
  'api types': 'reads',
  'api validate': 'reads',
  'auth check': 'reads',
  'auth doctor': 'reads',
  'auth list': 'reads',
  'auth login': 'changes',
  'auth logout': 'changes',
  'auth remove': 'may destroy',
  'auth review': 'reads',
  'auth setup-ci': 'reads',
  'auth status': 'reads',
  'auth switch': 'changes',
  'auth token': 'reads',
  cat: 'reads',
  completion: 'reads',
  cp: 'changes',
  du: 'reads',
  'files open': 'reads',
  'files url': 'reads',
  find: 'reads',
  help: 'reads',
  'local app create': 'changes',
  'local app delete': 'destroys',
  'local app list': 'reads',
  'local app suspend': 'changes',
  // A new secret ends the old one.
  'local app update': 'may destroy',
  'local check': 'reads',
  'local org create': 'changes',
  'local org list': 'reads',
  // What the command it starts does.
  'local run': 'may destroy',
  'local serve': 'changes',
  'local token': 'changes',
  'local user create': 'changes',
  'local user delete': 'destroys',
  'local user list': 'reads',
  'local user suspend': 'changes',
  ls: 'reads',
  mkdir: 'changes',
  mv: 'changes',
  open: 'reads',
  // --delete removes files of this machine.
  pull: 'may destroy',
  push: 'changes',
  rm: 'may destroy',
  share: 'changes',
  stat: 'reads',
  'transfers discard': 'destroys',
  'transfers list': 'reads',
  'transfers resume': 'changes',
  tree: 'reads',
  unshare: 'may destroy',
  url: 'reads',
}

/** What a command does, by its words: `files trash`; `undefined` for one that nobody knows. */
export function effectOf(name: string): Effect | undefined {
  if (Object.hasOwn(OTHERS, name)) return OTHERS[name]
  const described = operations.find(({resource, verb}) => `${resource} ${kebabCase(verb)}` === name)
  if (!described) return undefined
  if (!changesSomething(described)) return 'reads'
  if (lossOf(described.operationId) === undefined) return 'changes'
  const isAlways = destroys(described.operationId, {params: {}}) === true
  return isAlways ? 'destroys' : 'may destroy'
}
