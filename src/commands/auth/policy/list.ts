import {POLICY_COLUMNS, policyRecords} from '#lib/cli/account/policies.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  aliases: ['auth policy show', 'auth policy ls', 'auth policies'],
  summary: 'List the policies in force.',
  description:
    'Shows the policies of the profile and those of the file in DRV_POLICY. If both set the same policy, the stricter value applies.',
  examples: [['List the policies in force', 'auth policy list']],
  effect: 'reads',
  usesToken: false,
  columns: POLICY_COLUMNS,
  async run(_, context, printer) {
    const {policies} = await context.settings()
    await printer.records(policyRecords(policies, printer.isStructured), POLICY_COLUMNS)
  },
})
