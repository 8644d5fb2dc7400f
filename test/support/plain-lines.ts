import {splitLine} from '#lib/config/aliases.js'

/**
 * Lines of a shell that need no shell: each is `drv` with words, in single quotes or free of characters that a
 * shell interprets. Tests run these in their own process, which costs a tenth of a shell and a Node process.
 */

const PLAIN = /^[\w./:=@,+% -]*$/

/**
 * The arguments of each `drv` line of a script, in order; nothing if any line needs a shell, a process of its own
 * (`drv local`) or a person (`drv auth login`). Empty lines and comments do not count. Pure.
 */
export function plainLines(script: string): readonly (readonly string[])[] | undefined {
  const lines = script.split('\n').map(line => line.trim())
  const commands: (readonly string[])[] = []
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue
    const [name, ...args] = wordsIn(line) ?? []
    if (name !== 'drv' || args[0] === 'local' || (args[0] === 'auth' && args[1] === 'login')) {
      return undefined
    }
    commands.push(args)
  }
  return commands
}

/** The words of a line, without quotes; nothing if it has other characters outside of them. Pure. */
function wordsIn(line: string): readonly string[] | undefined {
  return PLAIN.test(line.replace(/'[^'\n]*'/g, '')) ? splitLine(line) : undefined
}
