/**
 * The exit codes of every command: the one place where they are decided. Scripts rely on the
 * numbers; `--json` also gives the names.
 */
export const exitCodes = {
  /** Done. */
  done: 0,
  /** Failed in a way that no other code names. */
  failed: 1,
  /** The command line or the body is wrong; nothing was sent. */
  usage: 2,
  /** Sign-in is needed, or the token was refused. */
  signIn: 4,
  notFound: 5,
  forbidden: 6,
  /** A rate limit or a quota. */
  limit: 7,
  /** The network or the service is not there now: trying again may help. */
  unavailable: 8,
  /** Some items failed, others were done. */
  partial: 9,
  /** The configuration or the keychain needs mending. */
  setup: 10,
  /** The content that arrived is not the content that was sent. */
  content: 11,
  /** A conflict, a failed precondition or an ambiguous name. */
  conflict: 12,
  /** Refused by a setting of the person's own: only reading is allowed. */
  readOnly: 13,
  /** Stopped by a signal. */
  interrupted: 130,
} as const

export type ExitName = keyof typeof exitCodes

/** What each says, in the words of the help. */
export const exitWords: Readonly<Record<ExitName, string>> = {
  done: 'Done. An empty list is that too.',
  failed: 'Failed in a way that no other code names.',
  usage: 'The command line or a body is wrong; nothing was sent.',
  signIn: 'A sign-in is needed, or the token was refused.',
  notFound: 'What was named is not there, or not for this account.',
  forbidden: 'The account or the token may not do that.',
  limit: 'A rate limit or a quota.',
  unavailable: 'The network or the service is not there now: try again.',
  partial: 'Some of many failed; the others are done.',
  setup: 'The configuration or the keychain needs mending.',
  content: 'The content that arrived is not what was sent.',
  conflict: 'A conflict, a failed precondition, or a name of several things.',
  readOnly: 'Refused by your own setting that only reading is allowed.',
  interrupted: 'Stopped by Ctrl-C or another signal.',
}
