/** All exit codes with their descriptions in help. */
const EXITS = {
  done: [0, 'Success, including an empty list.'],
  failed: [1, 'Other failure.'],
  usage: [2, 'Invalid command line or request body, or missing confirmation.'],
  signIn: [4, 'Not signed in, or the service rejected the token.'],
  notFound: [5, 'Not found, or not visible to this account.'],
  forbidden: [6, 'Permission denied for the account or the token.'],
  limit: [7, 'Rate limit or quota exceeded.'],
  unavailable: [8, 'Network or service unavailable; try again.'],
  partial: [9, 'Some steps failed; the others are done.'],
  setup: [10, 'Invalid configuration or unusable keychain.'],
  content: [11, 'Content is damaged.'],
  conflict: [12, 'Conflict, failed precondition, or ambiguous name.'],
  readOnly: [13, 'Refused in read-only mode.'],
  policy: [13, 'Refused by another policy.'],
  interrupted: [130, 'Interrupted by Ctrl-C or another signal.'],
} as const satisfies Readonly<Record<string, readonly [code: number, words: string]>>

export type ExitName = keyof typeof EXITS

/** The exit codes of every command by name. Scripts rely on the numbers; `--json` also has the names. */
export const exitCodes = columnOf(0)

/** The description of each exit code in help. */
export const exitWords = columnOf(1)

function columnOf<At extends 0 | 1>(at: At) {
  const cells = Object.entries(EXITS).map(([name, exit]) => [name, exit[at]])
  return Object.fromEntries(cells) as {readonly [Name in ExitName]: (typeof EXITS)[Name][At]}
}
