import {Args} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {SHELLS, type Shell} from '#lib/cli/completion/answer.js'
import {scripts} from '#lib/cli/completion/scripts.js'

export default class Completion extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Print the script that has a shell complete the words of drv.'
  static override description =
    'It completes commands, flags and their values, columns, profiles, shared drives, paths in the service, and the IDs of the last list. Paths are asked for with the token of the profile, for a second at most; they are kept for a minute. One line for each shell puts it in its place; it works in every shell that is started from then on.'
  static override examples = examplesOf([
    ['For bash', 'completion bash >> ~/.bashrc'],
    ['For zsh', 'completion zsh >> ~/.zshrc'],
    ['For fish', 'completion fish > ~/.config/fish/completions/drv.fish'],
  ])
  static override args = {
    shell: Args.string({
      description: 'The shell.',
      options: [...SHELLS],
      required: true,
      ignoreStdin: true,
    }),
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(Completion)
    await this.printer.print(scripts[args.shell as Shell])
  }
}
