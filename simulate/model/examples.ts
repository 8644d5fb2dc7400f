import type {Program} from './program.js'

/** Programs that failed once, with what they showed. Every run begins with them. */
export const EXAMPLES: ReadonlyArray<{readonly showed: string; readonly program: Program}> = [
  {
    showed:
      'An empty lock with a time in the future, after the clock was set back, was never removed.',
    program: killed('table', 4, 0),
  },
  {
    showed: 'A checkpoint whose first line was cut was refused for ever.',
    program: killed('table', 7, 0.5),
  },
  {
    showed:
      'Without power after the folders of a table were created, a rerun created all of them again.',
    program: killed('table', 16, 0),
  },
  {
    showed: 'The judge refused a new file that a pull had not flushed when its machine lost power.',
    program: [
      {commands: [null, {action: 'push', choices: 145}], faults: [], order: 0},
      {
        commands: [null, {action: 'pull', choices: 0, killAt: 51, powerLoss: 0}],
        faults: [],
        order: 0,
      },
      {commands: [null, {action: 'again', choices: 0}], faults: [], order: 0},
    ],
  },
]

/** One command in the first terminal, killed in place of an effect while the machine loses power. */
function killed(action: string, killAt: number, powerLoss: number): Program {
  return [{commands: [{action, choices: 0, killAt, powerLoss}], faults: [], order: 0}]
}
