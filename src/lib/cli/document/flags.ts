import {Flags} from '@oclif/core'

/** Which description a command works with; the profile's own service has its own unless given. */
export const documentFlags = {
  description: Flags.string({
    summary: 'Work with the description in this file, or at this address.',
    helpValue: 'FILE|URL',
    exclusive: ['built-in'],
  }),
  'built-in': Flags.boolean({summary: 'Work with the description that drv was built from.'}),
}
