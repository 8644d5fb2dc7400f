import {exitCodes, type ExitName, exitWords} from '#lib/cli/terminal/exit-codes.js'
import type {Page} from './page.js'

export const exitCodesPage: Page = {
  name: 'exit-codes',
  title: 'What a command ends with',
  blocks: [
    {
      entries: Object.entries(exitCodes).map(([name, code]) => ({
        name: String(code),
        words: exitWords[name as ExitName],
      })),
    },
    'What is printed as an error ends with a code above 0, and with --json it is one JSON document on standard error, whose "code" and "exit" say which.',
    {
      shell: [
        'drv files get /notes.txt -o copy.txt || case $? in',
        '  5) echo "There is no such file." ;;',
        '  7|8) echo "Try again later." ;;',
        '  *) exit 1 ;;',
        'esac',
      ],
    },
  ],
}
