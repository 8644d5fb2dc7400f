/** What becomes of content where a file of its name and with other content is there already. */
export const IF_EXISTS = ['replace', 'skip', 'fail', 'rename'] as const

export type IfExists = (typeof IF_EXISTS)[number]
