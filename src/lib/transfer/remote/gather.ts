/** How questions that many ask side by side are answered together. */
export interface Gathering<Question, Answer> {
  /** What two questions have in common that are one. */
  readonly keyOf: (question: Question) => string
  /** Calls `work` once nobody can go on any more without an answer. */
  readonly later: (work: () => void) => void
  /** Answers for all questions, in their order. */
  readonly answer: (questions: readonly Question[]) => ReadonlyArray<Promise<Answer>>
}

/** A function for one question, which is answered with those of others, and only once. */
export function gather<Question, Answer>({
  keyOf,
  later,
  answer,
}: Gathering<Question, Answer>): (question: Question) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>()
  let waiting: Array<{readonly question: Question; resolve(answer: Promise<Answer>): void}> = []

  function answerAll(): void {
    const asked = waiting
    waiting = []
    const answers = answer(asked.map(({question}) => question))
    for (const [index, {resolve}] of asked.entries()) resolve(answers[index]!)
  }

  return question => {
    const key = keyOf(question)
    const asked =
      known.get(key) ??
      new Promise<Answer>(resolve => {
        if (waiting.push({question, resolve}) === 1) later(answerAll)
      })
    known.set(key, asked)
    return asked
  }
}
