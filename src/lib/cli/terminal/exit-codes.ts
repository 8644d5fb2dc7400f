/** All exit codes, with what help says of each. */
const EXITS = {
  done: [0, 'Done. An empty list is that too.'],
  failed: [1, 'Failed in a way that no other code names.'],
  usage: [2, 'The command line or a body is wrong; nothing was sent.'],
  signIn: [4, 'A sign-in is needed, or the token was refused.'],
  notFound: [5, 'What was named is not there, or not for this account.'],
  forbidden: [6, 'The account or the token may not do that.'],
  limit: [7, 'A rate limit or a quota.'],
  unavailable: [8, 'The network or the service is not there now: try again.'],
  partial: [9, 'Some of many failed; the others are done.'],
  setup: [10, 'The configuration or the keychain needs mending.'],
  content: [11, 'The content that arrived is not what was sent.'],
  conflict: [12, 'A conflict, a failed precondition, or a name of several things.'],
  readOnly: [13, 'Refused by your own setting that only reading is allowed.'],
  interrupted: [130, 'Stopped by Ctrl-C or another signal.'],
} as const satisfies Readonly<Record<string, readonly [code: number, words: string]>>

export type ExitName = keyof typeof EXITS

/**
 * The exit codes of every command: the one place where they are decided. Scripts rely on the
 * numbers; `--json` also gives the names.
 */
export const exitCodes = columnOf(0)

/** What each says, in the words of the help. */
export const exitWords = columnOf(1)

function columnOf<At extends 0 | 1>(at: At) {
  const cells = Object.entries(EXITS).map(([name, exit]) => [name, exit[at]])
  return Object.fromEntries(cells) as {readonly [Name in ExitName]: (typeof EXITS)[Name][At]}
}
