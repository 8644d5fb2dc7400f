import {Args} from '@oclif/core'
import {scripts, type Shell, SHELLS} from '#lib/cli/completion/answer.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  aliases: ['completions', 'autocomplete'],
  summary: 'Print the script that has a shell complete the words of drv.',
  description:
    'It completes commands, flags and their values, columns, profiles, shared drives, paths in the service, and the IDs of the last list. Paths are asked for with the token of the profile, for a second at most; they are kept for a minute. One line for each shell puts it in its place; it works in every shell that is started from then on.',
  examples: [
    ['For bash', 'completion bash >> ~/.bashrc'],
    ['For zsh', 'completion zsh >> ~/.zshrc'],
    ['For fish', 'completion fish > ~/.config/fish/completions/drv.fish'],
  ],
  args: {
    shell: Args.string({
      description: 'The shell.',
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
