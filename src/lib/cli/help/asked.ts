/**
 * Whether somebody asks for help without saying with what lives here, and what they get. The help of a
 * command is oclif's.
 */
export function asksForAll(argv: readonly string[]): boolean {
  const [first, ...more] = argv
  return more.length === 0 && ['--help', '-h', 'help'].includes(first ?? '')
}
