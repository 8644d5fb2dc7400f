import {setFlagsFromString} from 'node:v8'

/**
 * Tells V8 that a run of many requests lasts for seconds, not for hours. Otherwise it compiles all
 * that is called some hundred times to machine code, on a thread that takes a core from the transfers
 * and is paid back only by a longer run; and its new space begins so small that what belongs to a
 * request under way is copied again and again. Not at start: what V8 has compiled and kept of this
 * program counts for the flags that it was kept with.
 */
export function expectShortRun(): void {
  setFlagsFromString('--semi-space-growth-factor=16')
  // Newer ones have a cheaper compiler in between, and no such flag.
  if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=1000000')
}
