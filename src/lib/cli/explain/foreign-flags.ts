/**
 * What people mean by the words of other tools, which are no commands here: the command to use, by
 * the word alone or behind `files`.
 */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  dir: ['ls'],
  list: ['ls'],
  search: ['find'],
  upload: ['files insert', 'push'],
  put: ['files insert', 'push'],
  add: ['files insert', 'push'],
  create: ['files insert'],
  new: ['files insert', 'mkdir'],
  touch: ['files touch'],
  download: ['files get', 'pull'],
  get: ['files get', 'pull'],
  fetch: ['files get', 'pull'],
  export: ['files export'],
  info: ['stat'],
  show: ['stat', 'cat'],
  copy: ['cp'],
  move: ['mv'],
  rename: ['mv'],
  edit: ['files update'],
  remove: ['rm'],
  del: ['rm'],
  delete: ['rm'],
  trash: ['rm'],
  restore: ['files untrash'],
  undelete: ['files untrash'],
  share: ['share'],
  unshare: ['unshare'],
  sync: ['push', 'pull'],
  login: ['auth login'],
  signin: ['auth login'],
  logout: ['auth logout'],
  signout: ['auth logout'],
  whoami: ['auth status'],
  status: ['auth status'],
  watch: ['changes watch'],
  serve: ['local serve'],
  autocomplete: ['completion'],
  completions: ['completion'],
}

/** The commands that a line may mean, the likeliest first; `undefined` for words of no other tool. */
export function foreignMeaning(typed: string): readonly string[] | undefined {
  const [first = '', second = ''] = typed.toLowerCase().split(' ')
  const word = ['files', 'file'].includes(first) ? second : first
  return Object.hasOwn(MEANT, word) ? MEANT[word] : undefined
}
