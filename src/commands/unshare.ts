import {UsageError} from '#lib/cli/terminal/errors.js'
import {yes} from '#lib/cli/run/operation-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {askBeforeDestroying} from '#lib/cli/guard/confirm-destroying.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import type {Given, Need} from '#lib/cli/input/missing-inputs.js'
import {CHANGE_COLUMNS, unsharingSteps} from '#lib/cli/verbs/sharing/plan.js'
import {SharingCommand, sharingArgs, sharingFlags} from '#lib/cli/verbs/sharing/sharing-command.js'

const FILE: Need = {in: 'args', name: 'words', message: 'Stop sharing', kind: 'file'}
const WHO: Need = {in: 'args', name: 'words', message: 'Whose access ends', kind: 'access'}

export default class Unshare extends SharingCommand {
  static override effect = 'may destroy' as const
  static override summary = 'Take away the access that people have to files.'
  static override description =
    'What comes from a folder above or from a shared drive is taken away there: the message says where. Ends with code 5 for somebody who has no access. Your own access ends only once you said so, or with --yes.'
  static override usage = 'unshare FILE... WHO... [FLAGS]'
  static override examples = examplesOf([
    ['Stop sharing a file with somebody', 'unshare /Reports/q3.pdf ada@example.com'],
    ['Close what everybody with the link could read', 'unshare /Reports/q3.pdf anyone'],
    [
      'Leave a file that others share, without a question',
      'unshare shared:/plan.txt me@example.com --yes',
    ],
  ])
  static override args = sharingArgs
  static override flags = {yes, ...sharingFlags}

  protected override operationId() {
    return 'permissions.delete' as const
  }

  protected override columns() {
    return CHANGE_COLUMNS
  }

  protected override lacks(given: Given): readonly Need[] {
    if (given.flags.from !== undefined) return []
    const {files, whos} = this.counted(given)
    return [...(files === 0 ? [FILE] : []), ...(whos === 0 ? [WHO] : [])]
  }

  protected override async execute(): Promise<void> {
    const given = await this.parse(Unshare)
    const {from, yes: isYes} = given.flags
    const named = await this.named(given, false)
    if (named.whos.length === 0 && from === undefined) {
      throw new UsageError('WHO is missing: an e-mail address, @example.com or anyone.')
    }
    const {context} = this
    await refuseChanges(context, '`drv unshare`')
    const {pairs, looked} = await this.looked(named, from, false)
    const steps = await unsharingSteps({client: await context.client(), looked}, pairs)
    const inputs = steps.flatMap(step => ('call' in step ? [step.call.input] : []))
    if (!context.options.dryRun) {
      await askBeforeDestroying(context, {operation: 'permissions.delete', inputs, isYes})
    }
    await this.carryOut(steps)
  }
}
