import {shellWord} from '#lib/cli/terminal/read-argv.js'

/**
 * Command lines of drv, each with the commands of other tools that do the same; the likeliest line of a
 * command comes first. `$1=FILE` is the first typed argument, or FILE without one; the other typed words
 * follow at the end. A line without words is for an unexpected argument. Words with one harmless meaning
 * are aliases of commands instead, in `Verb.aliases`.
 */
export const COMMAND_LINES: Readonly<Record<string, readonly string[]>> = {
  '--version': ['version'],
  ls: ['lsf', 'cd'],
  'ls trash:': ['trashed'],
  'find $1=/ --duplicates': ['dedupe', 'duplicates'],
  stat: ['show', 'files /'],
  cat: ['print', 'show', 'view', 'type'],
  'cat $1=FILE | head': ['head'],
  'cat $1=FILE | tail': ['tail'],
  'cat $1=FILE | less': ['less', 'more'],
  'cat $1=FILE | wc': ['wc'],
  cp: ['duplicate'],
  mv: ['files rename'],
  rm: ['unlink', 'rmdir', 'erase', 'deletefile'],
  'rm --permanently': ['purge', 'shred'],
  mkdir: ['create', 'new'],
  touch: ['create', 'new', 'mkfile'],
  'ln -s': ['symlink', 'shortcut'],
  'restore $1=FILE --revision $2=head~1': [
    'revert',
    'rollback',
    'checkout',
    'revisions restore',
    'revisions revert',
  ],
  'files empty-trash': ['emptytrash', 'cleanup'],
  'revisions list': ['revisions /'],
  'files get $1=FILE --revision-id $2=REVISION --output -': ['revisions download'],
  'push $1=LOCAL $2=/': ['add', 'send', 'sync', 'mirror', 'rsync'],
  'pull $1=REMOTE $2=.': ['save', 'clone', 'sync', 'mirror', 'rsync'],
  'pull $2=REMOTE/ $1=LOCAL && drv push $1=LOCAL/ $2=REMOTE': ['bisync'],
  'push $1=LOCAL $2=/ --convert': ['import'],
  'files export $1=FILE --mime-type $2=TYPE': ['export'],
  md5sum: ['checksum', 'hash', 'hashsum', 'sum'],
  'stat $1=FILE --columns sha256Checksum': ['sha256sum', 'sha256'],
  'stat $1=FILE --columns sha1Checksum': ['sha1sum', 'sha1'],
  df: ['usage', 'space'],
  du: ['ncdu'],
  share: ['access', 'acl', 'perms', 'permission', 'grants', 'permissions /'],
  'share $1=FILE --public': ['publish', 'public'],
  'unshare $1=FILE anyone': ['unpublish', 'private'],
  'share $1=FILE $2=WHO': ['invite', 'grant', 'permissions add'],
  'unshare $1=FILE $2=WHO': ['revoke', 'uninvite', 'permissions remove', 'permissions revoke'],
  'share $2=FILE WHO --role reader': ['chmod', 'chgrp'],
  'share $2=FILE $1=WHO --role owner': ['chown'],
  'share $1=FILE $2=WHO --role owner': ['transfer'],
  'drives insert --name $1=NAME': [],
  'drives update $1=DRIVE --name $2=NAME': ['drives rename'],
  'properties insert $1=FILE --key $2=KEY --value $3=VALUE': ['properties set', 'properties add'],
  'changes list --since 1d': ['log', 'activity'],
  'files update': ['update', 'overwrite'],
  'auth login': ['setup', 'init', 'authorize', 'reconnect'],
  'auth status': ['status', 'user'],
  'auth list': ['profile', 'account', 'listremotes'],
  'auth switch': ['switch', 'use'],
  'auth token': ['token'],
  'transfers list': ['jobs', 'uploads', 'downloads'],
  'transfers resume': ['resume', 'continue'],
  'local serve': ['serve', 'server', 'start', 'local start'],
  'local approve': ['approve'],
  'api get': ['request', 'curl', 'api /'],
}

/** Words of other tools for the operations `insert`, `get`, … of topics. */
export const OPERATION_WORDS: Readonly<Record<string, readonly string[]>> = {
  insert: ['new', 'add', 'upload'],
  delete: ['remove', 'rm', 'del', 'destroy'],
  get: ['view', 'describe', 'read', 'stat'],
  list: ['all', 'dir'],
  patch: ['edit', 'set', 'change', 'modify', 'rename'],
  update: ['edit', 'set', 'change', 'modify', 'rename'],
}

/** Inverts the table: the lines by word. */
export function linesByWord(
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
  const filled = line.replace(/\$(\d)=(\S+)/g, (_, at: string, name: string) => {
    const word = args[Number(at) - 1]
    if (word === undefined) return name
    // The trailing slash means the contents of the folder.
    return shellWord(/.\/$/.test(name) ? word.replace(/\/*$/, '/') : word)
  })
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
