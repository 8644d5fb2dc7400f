import {commonParameters} from '#lib/api/description/fields.js'
import {operations} from '#lib/api/operations.js'
import type {SchemaMap} from '#lib/api/types.js'
import {type Support, supportOf} from './support.js'

/**
 * A Markdown table of the support for every parameter of every operation, generated from the description
 * and `support.ts`.
 */
export function coverageTable(): string {
  const [anyOperation] = operations
  const rows = [
    ...rowsOf('every operation', commonParameters, name =>
      supportOf(anyOperation!.operationId, name),
    ),
    ...operations.flatMap(({operationId, parameters}) =>
      Object.keys(parameters).length === 0
        ? [[operationId, '', 'yes']]
        : rowsOf(operationId, parameters, name => supportOf(operationId, name)),
    ),
  ]
  const lines = [['Operation', 'Parameter', 'Local service'], ['---', '---', '---'], ...rows]
  return lines.map(cells => `| ${cells.join(' | ')} |\n`).join('')
}

function rowsOf(who: string, parameters: SchemaMap, support: (name: string) => Support) {
  return Object.entries(parameters).map(([name, {location}]) => [
    who,
    `\`${name}\`${location === 'path' ? ' (path)' : ''}`,
    wordsFor(name, support(name)),
  ])
}

function wordsFor(name: string, support: Support): string {
  if (support.kind === 'noEffect') return `no effect: ${support.reason}`
  if (support.kind === 'refused') return `refused: ${support.reason}`
  return name === 'alt' ? 'yes, except `proto`, which is refused' : 'yes'
}
