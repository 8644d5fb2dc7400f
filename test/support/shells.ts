import {spawn, spawnSync} from 'node:child_process'
import {chmodSync, mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as pause} from 'node:timers/promises'
import {onTestFinished} from 'vitest'
import {scripts, type Shell, SHELLS} from '#lib/cli/completion/answer.js'
import {BINARY} from './drv.js'

/** Real shells in terminals, where Tab runs the built binary. */

/** Opens a terminal; part of Debian's bsdutils. */
const PROGRAM = 'script'

/** The installed shells; `.ci/run` installs all of them. */
export const installed = SHELLS.filter(shell => spawnSync(shell, ['--version']).status === 0)

/** Starts a shell without user settings. */
const STARTS: Readonly<Record<Shell, string>> = {
  bash: 'exec bash --norc --noprofile -i',
  zsh: 'exec zsh -f -i',
  fish: 'exec fish --no-config -i',
}

/** Settings before the script: no prompt for long lists of completions, and no delayed redrawing. */
const BEFORE: Readonly<Record<Shell, string>> = {
  bash: "bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'; bind 'set show-all-if-ambiguous on'",
  zsh: 'autoload -Uz compinit && compinit -u -D; unsetopt beep; LISTMAX=0',
  fish: 'function fish_greeting; end; function fish_prompt; echo "> "; end',
}

export interface ShellOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/**
 * A shell with the completion script. Its `drv` prints each argument as `<argument>`, except for the requests of
 * Tab, so that a line is shown without being run.
 */
export async function startShell(shell: Shell, {env, cwd}: ShellOptions) {
  const tools = join(cwd, 'tools')
  mkdirSync(tools, {recursive: true})
  const program = join(tools, 'drv')
  writeFileSync(
    program,
    `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${BINARY}' "$@"; fi
for word in "$@"; do printf '<%s>,' "$word"; done
printf ' END%s\\n' "$#"
`,
  )
  chmodSync(program, 0o755)
  const script = join(tools, `completion.${shell}`)
  writeFileSync(script, scripts[shell])
  const child = spawn(PROGRAM, ['-qefc', `stty cols 200 rows 50; ${STARTS[shell]}`, '/dev/null'], {
    cwd,
    env: {
      ...env,
      PATH: `${tools}:${env.PATH}`,
      TERM: 'xterm',
      PS1: '> ',
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
    },
  })
  onTestFinished(() => void child.kill())
  let output = ''
  const waiting = new Set<() => void>()
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    for (const look of [...waiting]) look()
  })
  /** Waits for the output of the shell, which must end by itself. */
  const until = (pattern: RegExp, from: number) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const shown = output.slice(from)
        if (!pattern.test(shown)) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(shown)
      }
      const timer = setTimeout(() => {
        waiting.delete(look)
        const shown = JSON.stringify(output.slice(from))
        reject(new Error(`${shell} never showed ${pattern}:\n${shown}`))
      }, 20_000)
      waiting.add(look)
      look()
    })
  /** Runs a line and waits for the mark after it. */
  const run = async (line: string): Promise<string> => {
    const from = output.length
    child.stdin.write(`${line}\r`)
    child.stdin.write(`printf 'READ%s\\n' Y\r`)
    return until(/READY/, from)
  }
  await run(BEFORE[shell])
  await run(`source ${script}`)
  return {
    run,
    /** Everything that was on the screen. */
    output: () => output,
    /** Types a line and Tab; waits for a text on the screen. */
    async shows(line: string, pattern: RegExp): Promise<string> {
      const from = output.length
      child.stdin.write(`${line}\t`)
      await until(pattern, from)
      // Deletes the line.
      child.stdin.write('\u0003')
      await run('')
      return output.slice(from)
    },
    /** Types a line, Tab and the rest, and runs it; returns the arguments of `drv`. */
    async completed(line: string, rest = ''): Promise<readonly string[]> {
      const from = output.length
      child.stdin.write(`${line}\t`)
      child.stdin.write(`${rest}\r`)
      const shown = await until(/ END\d+/, from)
      return [
        ...shown.slice(shown.lastIndexOf('\n', shown.search(/ END\d+/))).matchAll(/<(.*?)>,/g),
      ].map(([, word = '']) => word)
    },
    async end() {
      child.kill()
      await pause(0)
    },
  }
}
