import {shellWord} from '#lib/cli/terminal/read-argv.js'

/**
 * Command lines of drv, each with the commands of other tools that do the same; the likeliest line of a
 * command comes first. `$1=FILE` is the first typed argument, or FILE without one; the other typed words
 * follow at the end.
 */
export const COMMAND_LINES: Readonly<Record<string, readonly string[]>> = {
  '--version': ['version'],
  ls: ['dir', 'list', 'lsf', 'cd', 'files ls'],
  'ls -l': ['ll', 'lsl'],
  'ls --json': ['lsjson'],
  'ls trash:': ['trashed'],
  find: ['search', 'locate'],
  'find --content $1=TEXT': ['grep'],
  'find $1=/ --duplicates': ['dedupe', 'duplicates'],
  stat: ['info', 'show', 'details', 'files /'],
  cat: ['print', 'show', 'view', 'type'],
  'cat $1=FILE | head': ['head'],
  'cat $1=FILE | tail': ['tail'],
  'cat $1=FILE | less': ['less', 'more'],
  'cat $1=FILE | wc': ['wc'],
  cp: ['copy', 'copyto', 'duplicate'],
  mv: ['move', 'moveto', 'ren', 'files rename'],
  rm: ['remove', 'del', 'delete', 'trash', 'unlink', 'rmdir', 'erase', 'deletefile'],
  'rm --permanently': ['purge', 'shred'],
  mkdir: ['md', 'makedir', 'create', 'new'],
  touch: ['create', 'new', 'mkfile'],
  'files insert': ['files create', 'files new', 'files add'],
  'ln -s': ['symlink', 'shortcut'],
  restore: ['undelete', 'untrash', 'recover', 'undo'],
  'restore $1=FILE --revision $2=head~1': [
    'undo',
    'revert',
    'rollback',
    'checkout',
    'revisions restore',
    'revisions revert',
  ],
  'files empty-trash': ['emptytrash', 'cleanup'],
  'revisions list': ['versions', 'history', 'revisions /'],
  'files get $1=FILE --revision-id $2=REVISION --output -': ['revisions download'],
  'push $1=LOCAL $2=/': ['upload', 'put', 'add', 'send', 'sync', 'mirror', 'rsync', 'bisync'],
  'pull $1=REMOTE $2=.': ['download', 'get', 'fetch', 'save', 'clone', 'sync', 'mirror', 'rsync'],
  'pull $2=REMOTE $1=LOCAL': ['bisync'],
  'push $1=LOCAL $2=/ --convert': ['import'],
  'files export $1=FILE --mime-type $2=TYPE': ['export'],
  check: ['diff', 'compare', 'verify', 'cmp', 'bisync'],
  md5sum: ['checksum', 'hash', 'hashsum', 'sum', 'md5'],
  'stat $1=FILE --columns sha256Checksum': ['sha256sum', 'sha256'],
  'stat $1=FILE --columns sha1Checksum': ['sha1sum', 'sha1'],
  df: ['quota', 'usage', 'storage', 'space'],
  du: ['size', 'ncdu', 'sizes'],
  share: ['access', 'acl', 'perms', 'permission', 'grants', 'permissions /'],
  'share $1=FILE --public': ['publish', 'public'],
  'unshare $1=FILE anyone': ['unpublish', 'private'],
  'share $1=FILE $2=WHO': ['invite', 'grant', 'permissions add', 'permissions create'],
  'unshare $1=FILE $2=WHO': ['revoke', 'uninvite', 'permissions remove', 'permissions revoke'],
  'share $2=FILE WHO --role reader': ['chmod', 'chgrp'],
  'share $2=FILE $1=WHO --role owner': ['chown'],
  'share $1=FILE $2=WHO --role owner': ['transfer'],
  'drives list': ['teamdrives', 'shareddrives'],
  'drives insert --name $1=NAME': ['drives create', 'drives new', 'drives add'],
  'drives update $1=DRIVE --name $2=NAME': ['drives rename'],
  'properties insert $1=FILE --key $2=KEY --value $3=VALUE': [
    'properties set',
    'properties add',
    'properties create',
  ],
  'changes list --since 1d': ['watch', 'follow', 'monitor', 'log', 'activity', 'changes follow'],
  url: ['link', 'getlink', 'links'],
  open: ['browse', 'web'],
  edit: ['vi', 'vim', 'nano'],
  'files update': ['update', 'overwrite'],
  'auth login': ['login', 'signin', 'config', 'setup', 'init', 'authorize', 'reconnect'],
  'auth logout': ['logout', 'signout'],
  'auth status': ['whoami', 'status', 'me', 'user', 'userinfo', 'auth whoami'],
  'auth list': ['profiles', 'profile', 'accounts', 'account', 'listremotes'],
  'auth switch': ['switch', 'use'],
  'auth doctor': ['doctor', 'diagnose'],
  'auth token': ['token'],
  'transfers list': ['jobs', 'uploads', 'downloads'],
  'transfers resume': ['resume', 'continue'],
  'local serve': ['serve', 'server', 'start', 'local start'],
  'local approve': ['approve'],
  'alias list': ['aliases'],
  'alias set': ['alias add', 'alias create', 'alias new'],
  'api get': ['request', 'curl', 'api /'],
  'api get about': ['api about'],
  completion: ['autocomplete', 'completions'],
}

/** Words of other tools for the operations `insert`, `get`, … of topics. */
export const OPERATION_WORDS: Readonly<Record<string, readonly string[]>> = {
  insert: ['create', 'new', 'add', 'upload'],
  delete: ['remove', 'rm', 'del', 'destroy'],
  get: ['show', 'info', 'view', 'describe', 'read', 'stat'],
  list: ['ls', 'all', 'dir'],
  patch: ['edit', 'set', 'change', 'modify', 'rename'],
  update: ['edit', 'set', 'change', 'modify', 'rename'],
}

/** Inverts the table: the lines by word. */
export function byWord(
  lines: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly string[]>> {
  const words: Record<string, string[]> = {}
  for (const [line, all] of Object.entries(lines)) {
    for (const word of all) (words[word] ??= []).push(line)
  }
  return words
}

/** Fills the typed words into a line, quoted for a shell. Pure. */
export function filledLine(line: string, typed: readonly string[]): string {
  const args = argumentsOf(typed, line.includes('$1=FILE'))
  const places = [...line.matchAll(/\$(\d)=(\S+)/g)].map(([, at]) => Number(at))
  const filled = line.replace(/\$(\d)=(\S+)/g, (_, at: string, name: string) =>
    args[Number(at) - 1] === undefined ? name : shellWord(args[Number(at) - 1]!),
  )
  // The values of foreign flags are unknown, so flags are kept only if no argument moves.
  const rest = places.length === 0 ? typed : args.slice(Math.max(...places))
  return [filled, ...rest.map(shellWord)].join(' ')
}

/** The arguments before the first flag; with `isFile`, from the first word that is certainly a file. */
function argumentsOf(typed: readonly string[], isFile: boolean): readonly string[] {
  const file = isFile
    ? typed.findIndex(word => /^(\/|(drive|trash|shared|id|https?):)/.test(word))
    : -1
  const from = typed.slice(Math.max(0, file))
  const end = from.findIndex(word => word.startsWith('-') && word !== '-')
  return end < 0 ? from : from.slice(0, end)
}
