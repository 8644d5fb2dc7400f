import {Args} from '@oclif/core'
import {scripts, type Shell, SHELLS} from '#lib/cli/completion/answer.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  aliases: ['completions', 'autocomplete'],
  summary: 'Print the shell completion script.',
  description:
    'It completes commands, flags and their values, columns, profiles, shared drives, remote paths, and the IDs of the last list. Remote paths are requested with the token of the profile, for at most one second, and cached for a minute. Run the line for your shell once; new shells pick it up.',
  examples: [
    ['Set up bash', 'completion bash >> ~/.bashrc'],
    ['Set up zsh', 'completion zsh >> ~/.zshrc'],
    ['Set up fish', 'completion fish > ~/.config/fish/completions/drv.fish'],
  ],
  args: {
    shell: Args.string({
      description: 'Shell to complete in.',
      options: [...SHELLS],
      required: true,
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  async run({args}, _context, printer) {
    await printer.print(scripts[args.shell as Shell])
  },
})
