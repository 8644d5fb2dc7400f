import {Flags} from '@oclif/core'

/** `-r` and `-f`, which fingers type by themselves: folders always go whole, and nothing is forced. */
export const recursionFlags = {
  recursive: Flags.boolean({
    summary: 'Taken and not needed: a folder always goes with all in it.',
    char: 'r',
  }),
  force: Flags.boolean({
    summary: 'Taken and without effect: what asks still asks.',
    char: 'f',
  }),
}
