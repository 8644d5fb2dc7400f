/** Whether a CI system runs the command; some provide a terminal without a user. */
export function isCi({CI = ''}: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '0', 'false', 'no', 'off'].includes(CI.toLowerCase())
}
