import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Approval} from '#lib/service/oauth/call.js'

/** The flag that makes the local service decide sign-ins itself; `otherwise` is what happens without it. */
export function approveFlag(otherwise: string) {
  return {
    approve: Flags.string({
      summary: `Approve every sign-in immediately as USER; "deny" denies every one, "never" leaves every one pending (default: ${otherwise}).`,
      description:
        'Applies to the device flow, the web flow and single sign-on. USER is created if it does not exist.',
      helpValue: 'USER|deny|never',
    }),
  }
}

/** Reads `--approve`. Throws `UsageError` for an empty one. */
export function approvalOf(flag: string | undefined): Approval | undefined {
  if (flag === undefined || flag === 'deny' || flag === 'never') return flag
  if (flag.trim() === '') throw new UsageError('Invalid --approve: must not be empty.')
  return {user: flag}
}
