/** Programs that failed once, and what they showed. CI runs them again. */
export const FAILED_SEEDS: ReadonlyArray<{readonly seed: number; readonly showed: string}> = [
  {
    seed: 853298602,
    showed:
      'drv mv ended with 1: its first attempt had moved the file, and the refusal of the second was cut',
  },
]
