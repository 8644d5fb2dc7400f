/** What is read of a command to find its aliases. */
interface Aliased {
  readonly id: string
  readonly hiddenAliases?: readonly string[]
}

/** Words of other tools for commands, by what is typed: `upload` -> `push`, `grep` -> `find --content`. Pure. */
export function aliasesOf(commands: readonly Aliased[]): Readonly<Record<string, string>> {
  const lines = commands.flatMap(({id, hiddenAliases = []}) =>
    hiddenAliases.map(alias => {
      const [, name = alias, flags = ''] = /^(.*?)(?: =)?( -.*|(?<= =) .*)?$/.exec(alias) ?? []
      return [name, id.replaceAll(':', ' ') + flags] as const
    }),
  )
  return Object.fromEntries(lines)
}

/** The line with a command in the place of an alias in front; `undefined` where there is none. Pure. */
export function withoutAlias(
  argv: readonly string[],
  commands: readonly Aliased[],
): readonly string[] | undefined {
  const aliases = aliasesOf(commands)
  const words = (count: number) => argv.slice(0, count).join(' ').replaceAll(':', ' ')
  const count = [2, 1].find(most => argv.length >= most && Object.hasOwn(aliases, words(most)))
  if (count === undefined) return undefined
  return [...aliases[words(count)]!.split(' '), ...argv.slice(count)]
}
