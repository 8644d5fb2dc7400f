import {Flags, type Interfaces} from '@oclif/core'
import {formats} from './formats.js'

const GLOBAL = 'GLOBAL'

/** The flags of every command; `flagorder.ts` tells which of them take a value. */
export const baseFlags: Interfaces.FlagInput = {
  profile: Flags.string({
    summary: 'Profile to work with (else DRV_PROFILE, else the chosen one).',
    helpGroup: GLOBAL,
    helpValue: 'NAME',
  }),
  json: Flags.boolean({summary: 'Same as --format json.', char: 'J', helpGroup: GLOBAL}),
  format: Flags.string({
    summary: 'How to write results: table at a terminal and tsv in a pipe, unless given.',
    helpGroup: GLOBAL,
    options: Object.keys(formats),
  }),
  columns: Flags.string({
    summary: 'Fields to write, in this order, such as id,labels.trashed; "help" lists them.',
    helpGroup: GLOBAL,
    helpValue: 'NAME,…',
  }),
  jq: Flags.string({
    summary: 'What jq makes of the JSON: of all of it, with --format ndjson of each record.',
    helpGroup: GLOBAL,
    helpValue: 'EXPRESSION',
  }),
  quiet: Flags.boolean({
    summary: 'Write nothing but results and errors.',
    char: 'q',
    helpGroup: GLOBAL,
  }),
  verbose: Flags.boolean({
    summary: 'Write a line for every request, and how many there were, to standard error.',
    helpGroup: GLOBAL,
  }),
  debug: Flags.boolean({
    summary: 'As --verbose, and where an error comes from.',
    helpGroup: GLOBAL,
  }),
  'read-only': Flags.boolean({
    summary: 'Refuse whatever would change something in the service.',
    helpGroup: GLOBAL,
  }),
  'no-input': Flags.boolean({
    summary: 'Never ask a question.',
    helpGroup: GLOBAL,
  }),
  'no-color': Flags.boolean({
    summary: 'Never write colours.',
    helpGroup: GLOBAL,
  }),
  'no-pager': Flags.boolean({
    summary: 'Never show long results in a pager.',
    helpGroup: GLOBAL,
  }),
  'no-probe': Flags.boolean({
    summary: 'Do not ask the service why something was not found.',
    helpGroup: GLOBAL,
  }),
  'dry-run': Flags.boolean({
    summary: 'Write what would be done instead of doing it.',
    char: 'n',
    helpGroup: GLOBAL,
  }),
  timeout: Flags.string({
    summary: 'Give up when the command takes longer than this many seconds.',
    helpGroup: GLOBAL,
    helpValue: 'SECONDS',
  }),
}
