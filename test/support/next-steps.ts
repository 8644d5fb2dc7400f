/** The next steps that the quick start prints: the ways to sign in. */

export interface Step {
  readonly line: string
  readonly words: string
}

/** A placeholder for the address of a service. */
export const ELSEWHERE = 'https://files.example.com'
/** The address of the service, as in the second terminal of the steps. */
export const HERE = 'http://127.0.0.1:8080'

/** The command lines for a checkout without `npm link`. */
export const steps: readonly Step[] = [
  {
    line: 'node bin/run.js auth login',
    words: 'signs in to the local service, which needs no account and no URL.',
  },
  {
    line: `DRV_BASE_URL=${HERE} node bin/run.js auth login --profile here`,
    words:
      'signs in to a local service that `node bin/run.js local serve --port 8080` runs in another terminal. Open that URL in a browser to see its start page. No client ID is needed.',
  },
  {
    line: `DRV_BASE_URL=${ELSEWHERE} DRV_CLIENT_ID=ID node bin/run.js auth login --profile work`,
    words:
      'signs in to another service. Its operator provides the URL and the client ID of an app that may use the device flow. Set DRV_AUTH_URL too if sign-in has a different URL. The profile stores all of these.',
  },
  {
    line: `DRV_BASE_URL=${ELSEWHERE} node bin/run.js auth login --profile mine --with-token`,
    words: `needs no client ID: create a personal access token in the settings of the service (${ELSEWHERE}/settings/tokens, or at DRV_AUTH_URL), and paste it.`,
  },
]

/** The end of the quick start; all lines but the commands have at most 80 columns. */
export function nextSteps(): string {
  return [
    'Everything worked. To sign in permanently, run one of these commands:',
    ...steps.flatMap(({line, words}) => ['', `  ${line}`, ...wrapped(words)]),
    '',
    'Then run `node bin/run.js ls` to list your files. For details, run',
    '`node bin/run.js auth login --help`. After `npm link`, type `drv` instead of',
    '`node bin/run.js`.',
  ].join('\n')
}

function wrapped(text: string): string[] {
  return [...text.matchAll(/\S.{0,73}(?=\s|$)/g)].map(([line]) => `      ${line}`)
}
