/** The parts of a command that hold its aliases. */
interface Aliased {
  readonly id: string
  readonly hiddenAliases?: readonly string[]
}

/** Maps commands of other tools to command lines: `upload` -> `push`, `grep` -> `find --content`. Pure. */
export function aliasesOf(commands: readonly Aliased[]): Readonly<Record<string, string>> {
  const lines = commands.flatMap(({id, hiddenAliases = []}) =>
    hiddenAliases.map(alias => {
      const [, name = alias, flags = ''] = /^(.*?)(?: =)?( -.*|(?<= =) .*)?$/.exec(alias) ?? []
      return [name, id.replaceAll(':', ' ') + flags] as const
    }),
  )
  return Object.fromEntries(lines)
}

/** Replaces an alias at the start with its command; `undefined` without an alias. Pure. */
export function withoutAlias(
  argv: readonly string[],
  commands: readonly Aliased[],
): readonly string[] | undefined {
  const aliases = aliasesOf(commands)
  const words = (count: number) => argv.slice(0, count).join(' ').replaceAll(':', ' ')
  const count = [3, 2, 1].find(most => argv.length >= most && Object.hasOwn(aliases, words(most)))
  if (count === undefined) return undefined
  return [...aliases[words(count)]!.split(' '), ...argv.slice(count)]
}
