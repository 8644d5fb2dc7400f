/**
 * What people mean by the words of other tools, which are no commands here: the command to use, by
 * the word alone or behind `files`.
 */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  ls: ['files list'],
  dir: ['files list'],
  list: ['files list'],
  find: ['files list'],
  search: ['files list'],
  upload: ['files insert', 'push'],
  put: ['files insert', 'push'],
  add: ['files insert', 'push'],
  create: ['files insert'],
  new: ['files insert'],
  mkdir: ['files insert'],
  touch: ['files touch'],
  download: ['files get', 'pull'],
  cat: ['files get', 'pull'],
  get: ['files get', 'pull'],
  fetch: ['files get', 'pull'],
  export: ['files export'],
  info: ['files get'],
  show: ['files get'],
  stat: ['files get'],
  cp: ['files copy'],
  copy: ['files copy'],
  mv: ['files patch'],
  move: ['files patch'],
  rename: ['files patch'],
  edit: ['files update'],
  rm: ['files trash'],
  remove: ['files trash'],
  del: ['files trash'],
  delete: ['files trash'],
  trash: ['files trash'],
  restore: ['files untrash'],
  undelete: ['files untrash'],
  share: ['permissions insert'],
  unshare: ['permissions delete'],
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
