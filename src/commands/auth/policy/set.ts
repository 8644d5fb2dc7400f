import {Args} from '@oclif/core'
import {
  confirmLifting,
  POLICY_COLUMNS,
  policyList,
  policyNamed,
  policyRecords,
  policyValue,
  savePolicies,
} from '#lib/cli/account/policies.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {policiesOf, readConfig} from '#lib/config/config.js'
import {isLooser, policyText} from '#lib/config/policy.js'

export default verb({
  summary: 'Set a limit that flags cannot override.',
  description: `Policies belong to the profile and apply to every command, including \`api call\`. A command that would exceed a limit changes nothing and ends with exit code 13. The read-only policy ends when you sign out; all others stay. Loosening a limit requires confirmation.\n\n${policyList}`,
  usage: 'auth policy set POLICY [VALUE...] [FLAGS]',
  examples: [
    ['Let no command trash or delete more than 50 items', 'auth policy set max-delete 50'],
    ['Change nothing outside a folder', 'auth policy set only /Reports'],
    ['Share only within a domain', 'auth policy set no-share-outside example.com'],
    ['Never share by link', 'auth policy set no-public'],
  ],
  args: {
    policy: Args.string({description: 'Name of the policy.', required: true, ignoreStdin: true}),
    value: Args.string({
      description: 'Number, size, folders or domains, depending on the policy.',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {yes: yesFlag},
  effect: 'may destroy',
  columns: POLICY_COLUMNS,
  async run({args, flags}, context, printer) {
    const name = policyNamed(args.policy)
    const {profile} = await context.settings()
    const value = await policyValue(context, name, [args.value ?? []].flat().map(String))
    const text = policyText(name, value)
    if (await printer.preview('set', text)) return
    const before = policiesOf(await readConfig(context.directories.config), profile)[name]
    if (isLooser(before, value)) {
      const change = `Replacing ${policyText(name, before)} with ${text}`
      await confirmLifting(context, change, flags.yes)
    }
    await savePolicies(context, profile, values => ({...values, [name]: value}))
    if (printer.isStructured) {
      const source = {kind: 'profile', name: profile} as const
      return printer.record(policyRecords([{source, values: {[name]: value}}], true)[0]!)
    }
    context.note(`Set ${text} for profile "${profile}".`)
  },
})
