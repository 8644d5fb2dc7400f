import type {Page} from './page.js'

export const scriptingPage: Page = {
  name: 'scripting',
  title: 'drv in scripts, cron jobs and CI',
  blocks: [
    {
      entries: [
        {name: 'Sign in', words: 'Set DRV_TOKEN. drv auth setup-ci shows where to make one.'},
        {name: 'No person', words: 'Without a terminal nothing asks; --no-input at one.'},
        {name: 'Was it done?', words: 'By the exit code: drv help exit-codes.'},
        {name: 'Results', words: '--json, or --format ndjson and ids: drv help formats.'},
        {name: 'Errors', words: 'With --json one JSON document on standard error.'},
        {name: 'See first', words: '--dry-run shows what would be sent, --curl as curl.'},
        {name: 'For good', words: 'What nothing brings back needs --yes.'},
        {name: 'Only look', words: '--read-only refuses whatever changes something.'},
        {name: 'Many', words: 'Several words, - for lines, --from FILE for records.'},
        {name: 'Again', words: 'push, pull and --checkpoint do only what is left.'},
        {name: 'In time', words: '--timeout SECONDS ends a command that takes longer.'},
        {name: 'Try it', words: 'drv local run -- sh SCRIPT, with a service of its own.'},
        {name: 'All there is', words: 'drv help --json: commands, flags, codes, as data.'},
      ],
    },
    'What fails for the moment is tried again by itself, in the pace that the service asks for: a script needs no loop for that. No retry makes a file twice.',
    {
      shell: [
        `drv files list --q "title contains 'draft'" -a --format ids |`,
        '  drv files trash -',
        'ID=$(drv mkdir -p /Invoices/2026 --format ids)',
        'drv push build/ "$ID" --quiet --timeout 3600',
      ],
    },
  ],
}
