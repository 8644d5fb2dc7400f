/** Whether a CI system runs the command: some give it a terminal with nobody at it. */
export function isCi({CI = ''}: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(CI.toLowerCase())
}
