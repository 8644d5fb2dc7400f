/** URI templates as a description may have them (RFC 6570; reference: description-format.md, section 5). */

const EXPRESSION = /\{[+#./;?&]?(\w[\w.$-]*(?:\*|:\d+)?(?:,\w[\w.$-]*(?:\*|:\d+)?)*)\}/g

/** Whether all braces belong to expressions. */
export function isTemplate(text: string): boolean {
  return !/[{}]/.test(text.replace(EXPRESSION, ''))
}

/** The names in the braces of a template. */
export function namesIn(template: string): string[] {
  return [...template.matchAll(EXPRESSION)].flatMap(([, names = '']) =>
    names.split(',').map(name => name.replace(/\*$|:\d+$/, '')),
  )
}
