/**
 * Phrases that texts for people and comments must not contain, each with better words. They belong to a dialect:
 * clauses without a noun, passives without an actor, two words for one thing.
 */
export const RULED_OUT: ReadonlyArray<readonly [phrase: RegExp, better: string]> = [
  [/\btells? (?:of|all)\b/i, 'shows, describes'],
  [/\bso many\b/i, 'the number: N requests'],
  [/\b(?:is|are) none\b/i, 'name the thing: is not a path'],
  [
    /\bwhat (?:is|are|was|were)\b(?! (?:the|a|an|this|that|it|drv|left)\b)/i,
    'a noun: the files, the content',
  ],
  [
    /\bwhat (?:stands|lies|comes|came|has|can|may|does|would|follows|happens to be|nobody|somebody|people|people)\b/i,
    'a noun: the text, the entries',
  ],
  [/\bof (?:which|whom|whose)\b/i, 'two sentences, or "whose"'],
  [/\b(?:for|to|by) (?:whom|whoever)\b/i, 'name the person: users, callers'],
  [/\bwhoever\b/i, 'anyone who, the caller'],
  [/\bunder way\b/i, 'in progress, running'],
  [/\bfor the moment\b/i, 'temporarily, currently'],
  [/\bhas it that\b/i, 'makes'],
  [/\bat the most\b/i, 'at most'],
  [/\bunasked\b/i, 'without confirmation'],
  [/\bgoes by\b/i, 'uses'],
  [/\btaken and (?:not needed|without effect)\b/i, 'accepted for compatibility'],
  [/\bnobody can be asked\b/i, 'not running in a terminal'],
  [/\bwhat (?:it is|they are|there is|there was|one has|we have|it has|they have)\b/i, 'a noun'],
  [/\b(?:it|this) is (?:said|told)\b/i, 'say who says it, or what is printed'],
  [/\bfor good\b/i, 'permanently'],
  [/\bput (?:in|into) the trash\b/i, 'move to the trash'],
  [/\bbegin nothing\b/i, 'stop'],
  [/\b(?:is|are) to be (?:had|told|seen|asked|done)\b/i, 'active voice'],
  [/\bleads? out of\b/i, 'is outside'],
  [/(?:^|[.,;] )name (?:an?|another|only|the) /i, 'pass, choose: "name" reads as "rename"'],
  [/\bmust be one of [^.]*, not\b/i, 'a, b or c, not'],
  [/\bstand(?:s|ing)? (?:there|behind|beside|in for)\b/i, 'is, appears'],
]

/** The first such phrase of a text, with better words; `undefined` if there is none. */
export function ruledOut(text: string): string | undefined {
  for (const [phrase, better] of RULED_OUT) {
    const found = phrase.exec(text)
    if (found) return `"${found[0]}" → ${better}`
  }
  return undefined
}
