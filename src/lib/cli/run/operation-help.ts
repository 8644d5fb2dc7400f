import type {Interfaces} from '@oclif/core'
import {isBuiltIn, type Operation} from '#lib/api/operations.js'
import {argumentWord} from '#lib/cli/terminal/read-argv.js'
import {kebabCase} from '#lib/platform/values.js'

/** What a command line is for, and the line: without `drv` in front, or whole behind `$ `. */
export type Example = readonly [purpose: string, line: string]

/** Examples as oclif's help shows them. */
export function examplesOf(examples: readonly Example[]) {
  return examples.map(([description, line]) => ({
    description,
    command: line.startsWith('$ ') ? line.slice(2) : `<%= config.bin %> ${line}`,
  }))
}

/** The command of an operation as people type it: `files generate-ids`, or `api call` for another description's. */
export function commandLine({id, resource, verb, document}: Operation): string {
  return isBuiltIn(document) ? `${resource} ${kebabCase(verb)}` : `api call ${id}`
}

/** What one writes to use it, without the many flags: the help lists them below. */
export function usageOf(described: Operation, args: Interfaces.ArgInput): string {
  const words = Object.entries(args).map(([name, arg]) => argumentWord({...arg, name}))
  return [commandLine(described), ...words, '[FLAGS]'].join(' ')
}

/** The description's first sentence; oclif shows it by itself, so the rest goes on from there. */
export function splitSentence(text: string): readonly [first: string, rest: string] {
  const first = /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text
  return [first, text.slice(first.length).trim()]
}

/** What the help says: the rest of the description, `more`, and the request. */
export function helpText({description, httpMethod, path}: Operation, more?: string): string {
  const about = [splitSentence(description)[1], more].filter(Boolean).join(' ')
  return [about, `The request is ${httpMethod} ${path}.`].filter(Boolean).join('\n\n')
}
