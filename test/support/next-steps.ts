/** Where the quick start leads: how one signs in for real, and to what. */

export interface Step {
  readonly line: string
  readonly words: string
}

/** An address that a person puts another one in the place of. */
export const ELSEWHERE = 'https://files.example.com'
/** Where the second terminal of the steps has a service. */
export const HERE = 'http://127.0.0.1:8080'

/** The lines as they are typed in the checkout, without `npm link`. */
export const steps: readonly Step[] = [
  {
    line: 'node bin/run.js auth login',
    words:
      'signs in to the service inside drv, for which you need neither an account nor an address.',
  },
  {
    line: `DRV_BASE_URL=${HERE} node bin/run.js auth login --profile here`,
    words:
      'does so where `node bin/run.js local serve --port 8080` runs in another terminal. Open that address in a browser: the page there tells the rest. No client ID is needed.',
  },
  {
    line: `DRV_BASE_URL=${ELSEWHERE} DRV_CLIENT_ID=ID node bin/run.js auth login --profile work`,
    words:
      'does so at a service that others run. They tell you its address, and the client ID of an app there that may sign in with a code; set DRV_AUTH_URL too where people sign in at another address. The profile remembers all of them.',
  },
  {
    line: `DRV_BASE_URL=${ELSEWHERE} node bin/run.js auth login --profile mine --with-token`,
    words: `needs no client ID: make a personal access token in your settings there (${ELSEWHERE}/settings/tokens, at DRV_AUTH_URL if that is another address), and paste it.`,
  },
]

/** The end of the quick start, in lines of at most 80 columns but for what is typed. */
export function nextSteps(): string {
  return [
    'All of it worked, on a service of your own. Now for real, with one of these:',
    ...steps.flatMap(({line, words}) => ['', `  ${line}`, ...wrapped(words)]),
    '',
    'Then `node bin/run.js ls` shows your files. `node bin/run.js auth login --help`',
    'says more; `npm link` makes `node bin/run.js` a plain `drv`.',
  ].join('\n')
}

function wrapped(text: string): string[] {
  return [...text.matchAll(/\S.{0,73}(?=\s|$)/g)].map(([line]) => `      ${line}`)
}
