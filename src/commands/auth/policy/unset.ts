import {Args} from '@oclif/core'
import {confirmLifting, policyNamed, savePolicies} from '#lib/cli/account/policies.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {policiesOf, readConfig} from '#lib/config/config.js'
import {policyText} from '#lib/config/policy.js'

export default verb({
  aliases: ['auth policy remove', 'auth policy delete', 'auth policy rm'],
  summary: 'Lift limits set for a profile.',
  description: 'Asks for confirmation. Policies in the file that DRV_POLICY names stay in force.',
  usage: 'auth policy unset POLICY... [FLAGS]',
  examples: [
    [
      'Lift a limit without confirmation',
      '$ drv auth policy set max-delete 50 && drv auth policy unset max-delete --yes',
    ],
  ],
  args: {
    policy: Args.string({
      description: 'Names of the policies.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {yes: yesFlag},
  effect: 'may destroy',
  usesToken: false,
  columns: ['name'],
  async run({args, flags}, context, printer) {
    const names = [...new Set([args.policy].flat().map(policyNamed))]
    const {profile} = await context.settings()
    const values = policiesOf(await readConfig(context.directories.config), profile)
    const missing = names.find(name => values[name] === undefined)
    if (missing !== undefined) {
      throw new CommandError(
        'notFound',
        `Profile "${profile}" has no policy "${missing}".`,
        'To see all policies, run `drv auth policy list`.',
      )
    }
    const text = names.map(name => policyText(name, values[name])).join(' and ')
    if (await printer.preview('unset', ...names)) return
    await confirmLifting(context, `Lifting ${text} of profile "${profile}"`, flags.yes)
    await savePolicies(context, profile, before =>
      Object.fromEntries(
        Object.entries(before).filter(([name]) => !names.some(one => one === name)),
      ),
    )
    if (printer.isStructured) return printer.records(names.map(name => ({name})))
    context.note(`Lifted ${text} of profile "${profile}".`)
  },
})
