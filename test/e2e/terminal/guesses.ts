/** The first lines that users type for an everyday task, and the expected results. */
export interface Guess {
  readonly task: string
  /** As typed in a shell. */
  readonly line: string
  /** Shell lines that succeed afterwards. */
  readonly then?: readonly string[]
  /** Expected in standard output. */
  readonly out?: RegExp
  /** The exit code, if not 0. */
  readonly code?: number
  /** The line fails with an error that matches the first pattern; the second is the line that works. */
  readonly hint?: readonly [says: string, line: string]
}

/** The tasks that were listed first. */
export const listed: readonly Guess[] = [
  {task: 'changed today', line: 'find / --modified-since today', out: /report\.txt/},
  {task: 'who sees this', line: 'share /tree/report.txt', out: /eve@example\.com/},
  {
    task: 'shared outside my domain',
    line: 'find / --external example.com',
    out: /outside\.txt/,
  },
  {task: 'the biggest', line: 'find / --sort size --limit 1 --format ids', out: /^\S+\n$/},
  {task: 'duplicates', line: 'find / --duplicates', out: /report\.txt/},
  {task: 'older than a year', line: 'find / --older 1y', out: /^$/},
  {
    task: 'rename by pattern',
    line: "rename 's/report/final/' /tree/report.txt",
    then: ['drv stat /tree/final.txt'],
  },
  {
    task: 'restore a revision',
    line: 'restore /tree/report.txt --revision head~1',
    then: ['drv cat /tree/report.txt | grep year'],
  },
  {
    task: 'mirror down',
    line: 'sync /tree copy',
    hint: ['drv pull', 'drv pull /tree/ copy --delete --yes'],
  },
  {task: 'compare', line: 'check mt /mt', code: 1, out: /a\.txt/},
  {task: 'copy a tree', line: 'cp -r /tree /copy', then: ['drv stat /copy/report.txt']},
  {
    task: 'share by a table',
    line: 'share --from grants.csv',
    then: ['drv share /tree/plan.txt | grep ada@example.com'],
  },
  {
    task: 'remove someone everywhere',
    line: 'unshare --everywhere eve@example.com --yes',
    then: ['! drv share /tree/report.txt | grep eve@example.com'],
  },
  {task: 'orphans', line: 'find / --orphans', out: /^$/},
  {
    task: 'from standard input',
    line: 'echo hello | drv push - /x.txt',
    then: ['drv cat /x.txt | grep hello'],
  },
  {task: 'to jq', line: "ls /tree --json --jq '.[].title'", out: /report\.txt/},
  {task: 'completion', line: 'completion bash', out: /complete/},
  {task: 'the first three', line: 'ls /tree --limit 2 --format ids', out: /^\S+\n\S+\n$/},
  {task: 'newest first', line: 'ls -lt /tree', out: /report\.txt/},
  {task: 'count', line: 'drv ls -R / | wc -l', out: /\d+/},
  {task: 'disk usage', line: 'du -h --max-depth 1 /', out: /tree/},
  {task: 'columns', line: 'ls /tree --columns name,size,owner', out: /report\.txt/},
  {task: 'full text', line: 'find budget', out: /budget\.csv/},
  {task: 'the first line', line: 'drv cat /tree/report.txt | head -n 1', out: /report/},
  {task: 'star', line: 'star /tree/report.txt', then: ['drv find / --starred | grep report.txt']},
  {
    task: 'description',
    line: 'files patch /tree/report.txt --description hello',
    then: ['drv files get /tree/report.txt --json --jq .description | grep hello'],
  },
  {task: 'folders only', line: 'find / --type folder', out: /tree/},
  {task: 'find by property', line: 'find / --property kind=plan', out: /plan\.txt/},
  {
    task: 'one file under another name',
    line: 'pull /tree/report.txt b.txt',
    then: ['test -f b.txt'],
  },
  {
    task: 'new content',
    line: 'push a.txt /tree/report.txt',
    then: ['drv cat /tree/report.txt | cmp - a.txt'],
  },
  {task: 'upload by a pattern', line: 'drv push *.txt /tree', then: ['drv stat /tree/a.txt']},
  {
    task: 'remove by a pattern',
    line: "rm '/tree/*.tmp'",
    then: [
      '! drv stat /tree/old.tmp',
      'drv stat trash:/tree/old.tmp || drv ls trash: | grep old.tmp',
    ],
  },
  {task: 'move', line: 'mv /tree/plan.txt /photos/', then: ['drv stat /photos/plan.txt']},
  {
    task: 'remove for good',
    line: 'rm /tree/old.tmp --permanently',
    hint: ['--yes', 'drv rm /tree/old.tmp --permanently --yes'],
  },
  {
    task: 'public, and the link',
    line: 'share --public /tree/report.txt',
    then: ['drv share /tree/report.txt | grep anyone'],
  },
  {task: 'revoke', line: 'unshare /tree/report.txt eve@example.com'},
  {task: 'a shortcut', line: 'ln -s /tree/report.txt /mt/', then: ['drv stat /mt/report.txt']},
  {task: 'tree of two levels', line: 'tree -L 2 /', out: /tree/},
  {
    task: 'leave out',
    line: 'push mt / --exclude a.txt',
    then: ['! drv stat /mt/a.txt', 'drv stat /mt/b.txt'],
  },
  {task: 'bandwidth', line: 'push a.txt / --bwlimit 1M', then: ['drv stat /a.txt']},
  {task: 'transfers', line: 'push mt / --transfers 4', then: ['drv stat /mt/a.txt']},
  {
    task: 'checksums',
    line: 'md5sum /tree/report.txt',
    out: /^[0-9a-f]{32} {2}\/tree\/report\.txt\n$/,
  },
  {
    task: 'edit',
    line: "EDITOR='sed -i s/report/edited/' drv edit /tree/report.txt",
    then: ['drv cat /tree/report.txt | grep edited'],
  },
  {task: 'quota', line: 'df', out: /\d/},
  {
    task: 'copy beside',
    line: 'cp /tree/report.txt /tree/two.txt',
    then: ['drv stat /tree/two.txt'],
  },
  {
    task: 'into a shared drive',
    line: 'mv /tree/plan.txt drive:Team/',
    then: ['drv stat drive:Team/plan.txt'],
  },
  {task: 'convert', line: 'push grants.csv / --convert', then: ['drv stat /grants.csv']},
  {task: 'what would rm do', line: 'rm -n /tree', then: ['drv stat /tree']},
  {task: 'keep revisions', line: 'revisions prune /tree/report.txt --keep 1 --yes'},
  {task: 'touch', line: 'touch /tree/report.txt'},
  {task: 'changed by Bob', line: 'find / --modified-by bob@example.com', out: /^$/},
  {task: 'last five', line: 'drv ls -lt /tree | head -n 5', out: /report\.txt/},
  {task: 'alias', line: "drv alias set ll 'ls -l' && drv ll /tree", out: /report\.txt/},
  {task: 'fields', line: 'ls --columns help', out: /title/},
  {task: 'a raw call', line: 'api get about', out: /local/},
  {task: 'public files', line: 'find / --shared-with anyone', out: /outside\.txt/},
  {
    task: 'access report',
    line: 'share / -R --format csv',
    out: /\/tree\/report\.txt,.*eve@example\.com/,
  },
  {task: 'upload', line: 'upload a.txt /', then: ['drv stat /a.txt']},
  {
    task: 'download',
    line: 'download /tree/report.txt .',
    then: ['test -f report.txt'],
  },
  {task: 'list', line: 'list /tree', out: /report\.txt/},
  {task: 'whoami', line: 'whoami', out: /local/},
  {
    task: 'until a day',
    line: 'share /tree/plan.txt ada@example.com --expires 30d',
    then: ['drv share /tree/plan.txt | grep ada@example.com'],
  },
  {
    task: 'what is old in the trash',
    line: 'rm trash: --older 30d',
    hint: [
      'drv find trash: --older 30d --format ids | drv rm - --permanently',
      'drv find trash: --older 30d --format ids | drv rm - --permanently --yes',
    ],
  },
  {
    task: 'all documents as text',
    line: 'pull / docs --type doc --export txt',
    then: ['test -f docs/minutes.txt', '! test -e docs/photos'],
  },
  {task: 'watch', line: 'watch --once', out: /^$/},
  {
    task: 'both ways',
    line: 'bisync mt /mt',
    hint: [
      'drv pull /mt/ mt && drv push mt/ /mt',
      'drv pull /mt/ mt && drv push mt/ /mt && drv check mt /mt',
    ],
  },
  {
    task: 'undo',
    line: 'drv rm /tree/old.tmp && drv undo',
    hint: ['--yes', 'drv undo --yes && drv stat /tree/old.tmp'],
  },
  {
    task: 'a shared drive',
    line: 'drives create --name Finance',
    then: ['drv drives list --all | grep Finance'],
  },
  {
    task: 'a member of a shared drive',
    line: 'share drive:Team ada@example.com --role writer',
    then: ['drv share drive:Team | grep ada@example.com'],
  },
  {
    task: 'a second parent',
    line: 'ln /tree/plan.txt /photos/',
    then: ['drv cat /photos/plan.txt'],
  },
  {
    task: 'a link from a browser',
    line: "drv stat 'https://drive.google.com/file/d/'$(drv ls -d /tree/plan.txt --format ids)'/view?usp=sharing'",
    out: /plan\.txt/,
  },
  {task: 'delete', line: 'delete /tree/old.tmp', then: ['drv restore trash:/tree/old.tmp']},
  {task: 'info', line: 'info /tree', out: /tree/},
  {
    task: 'login',
    line: 'login',
    hint: ['--insecure-storage', 'printenv DRV_TOKEN | drv login --with-token --insecure-storage'],
  },
  {
    task: 'verify an upload',
    line: 'drv push mt /new && drv check mt /new/mt && ! drv check mt /tree',
  },
  {task: 'a folder as an archive', line: 'drv pull /tree - | tar t', out: /^tree\/plan\.txt$/m},
  {task: 'changes of today', line: 'changes list --since today', out: /report\.txt/},
]

/** Lines that were collected later, each before it was tried. */
export const added: readonly Guess[] = [
  {task: 'two contents', line: 'cat /tree/report.txt /tree/plan.txt', out: /report[^]*plan/},
  {task: 'folders on the way', line: 'mkdir -p /x/y/z', then: ['drv stat /x/y/z']},
  {task: 'a whole folder', line: 'rm -rf /tree', then: ['! drv stat /tree']},
  {task: 'rename', line: 'mv /tree/plan.txt /tree/plan-2.txt', then: ['drv stat /tree/plan-2.txt']},
  {
    task: 'find by name',
    line: "find / -name '*.csv'",
    out: /budget\.csv/,
  },
  {task: 'find folders', line: 'find / --type d', out: /tree/},
  {task: 'list a pattern', line: "ls '/tree/*.txt'", out: /report\.txt/},
  {task: 'sum of a folder', line: 'du -sh /tree', out: /tree/},
  {
    task: 'as editor',
    line: 'share /tree/plan.txt ada@example.com --role editor',
    then: ['drv share /tree/plan.txt | grep writer'],
  },
  {task: 'without a slash', line: 'ls tree', hint: ['/tree', 'drv ls /tree']},
  {task: 'get', line: 'get /tree/report.txt', then: ['test -f report.txt']},
  {task: 'help of a command', line: 'help ls', out: /USAGE/},
  {task: 'what is not there', line: 'rm /nope', code: 5},
  {task: 'by size', line: 'ls --sort=size /tree', out: /report\.txt/},
  {task: 'down to here', line: 'pull /tree .', then: ['test -f tree/report.txt']},
  {task: 'a new folder', line: 'push mt/ /new', then: ['drv stat /new/a.txt']},
  {task: 'the trash', line: 'ls trash:'},
  {
    task: 'out of the trash',
    line: 'drv rm /tree/old.tmp && drv restore trash:/tree/old.tmp',
    then: ['drv stat /tree/old.tmp'],
  },
  {task: 'link', line: 'link /tree/report.txt', out: /^http\S+\n$/},
  {task: 'a folder that is there', line: 'mkdir /tree', hint: ['-p', 'drv mkdir -p /tree']},
  {
    task: 'unstar',
    line: 'drv star /tree/plan.txt && drv unstar /tree/plan.txt',
    then: ['! drv find / --starred | grep plan.txt'],
  },
  {task: 'newer', line: 'find / --newer 1d --type file', out: /report\.txt/},
  {
    task: 'names and sizes',
    line: 'find / --columns path,size --sort name',
    out: /\/tree\/report\.txt/,
  },
  {task: 'into jq', line: "find / --format ndjson --jq '{id,title}'", out: /^\{[^\n]*\}\n\{/},
  {task: 'everything, long', line: 'ls -la /tree', out: /report\.txt/},
  {
    task: 'folders as find has them',
    line: 'find / -type d',
    out: /tree/,
  },
  {
    task: 'in the browser',
    line: 'BROWSER=true drv browse /tree/report.txt',
  },
  {
    task: 'in contents',
    line: 'grep year',
    out: /twin\.txt/,
  },
  {
    task: 'the head',
    line: 'head -n 1 /tree/report.txt',
    hint: ['drv cat /tree/report.txt | head', 'drv cat /tree/report.txt | head -n 1'],
  },
  {
    task: 'differences',
    line: 'diff mt /mt',
    code: 1,
    out: /a\.txt/,
  },
  {
    task: 'as JSON, as kubectl has it',
    line: 'ls /tree -o json',
    out: /^\[/,
  },
  {
    task: 'up with cp',
    line: 'cp a.txt /tree/',
    hint: ['drv push a.txt /tree/', 'drv push a.txt /tree/ && drv stat /tree/a.txt'],
  },
  {task: 'the size of a folder', line: 'size /tree', out: /tree/},
  {
    task: 'gh api without a verb',
    line: 'api about',
    out: /local/,
  },
  {
    task: 'size as find has it',
    line: 'find / --size +1k',
    out: /^$/,
  },
  {
    task: 'changed as find has it',
    line: 'find / -mtime -1',
    out: /report\.txt/,
  },
  {
    task: 'a star by patch',
    line: 'files patch /tree/plan.txt --starred',
    then: ['drv find / --starred | grep plan.txt'],
  },
  {task: 'here', line: 'ls .', out: /tree/},
  {task: 'find from here', line: "find . -name '*.csv'", out: /budget\.csv/},
  {
    task: 'another name by rename',
    line: 'rename /tree/plan.txt plan-2.txt',
    then: ['drv stat /tree/plan-2.txt', '! drv stat /tree/plan.txt'],
  },
  {
    task: 'for anyone',
    line: 'share --anyone /tree/report.txt',
    then: ['drv share /tree/report.txt | grep anyone'],
  },
]
