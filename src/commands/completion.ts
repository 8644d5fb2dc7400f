import {Args} from '@oclif/core'
import {scripts, type Shell, SHELLS} from '#lib/cli/completion/answer.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  aliases: ['completions', 'autocomplete'],
  summary: 'Print the completion script for a shell.',
  description:
    'The script completes commands, flags and their values, columns, profiles, shared drives, remote paths, and the IDs of the last list. Remote paths are requested with the token of the profile, for at most one second, and cached for a minute. Run the example for your shell once; new shells load the script.',
  examples: [
    ['Set up bash', 'completion bash >> ~/.bashrc'],
    ['Set up zsh', 'completion zsh >> ~/.zshrc'],
    ['Set up fish', 'completion fish > ~/.config/fish/completions/drv.fish'],
  ],
  args: {
    shell: Args.string({
      description: 'Shell that the script is for.',
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
