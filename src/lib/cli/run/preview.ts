import {createLookups} from '#lib/cli/input/lookups.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {failureRecord} from '#lib/cli/explain/explain.js'
import {curlText, type PlannedRequest} from '#lib/cli/guard/curl-text.js'
import type {Doer} from './item-runner.js'
import {nameOf} from '#lib/cli/input/item.js'
import {checkedGroups, readyItems} from './prepare.js'
import type {ItemSource} from '#lib/cli/input/item-source.js'

/** Writes what would be sent for each thing, in the place of its result, and sends none of it. */
export async function showMany(doer: Doer, source: ItemSource, isCurl: boolean): Promise<void> {
  const {context, results} = doer
  const lookups = createLookups(context)
  const client = await context.client()
  const {rows, end} = results.text()
  for await (const group of await checkedGroups(doer, source)) {
    const told: Row[] = []
    const lines: PlannedRequest[] = []
    for (const item of await readyItems(group, lookups)) {
      const {original: input} = item
      if ('error' in item) {
        const failure = doer.explain(item.error)
        told.push({input, error: failureRecord(failure)})
        if (!results.output.isStructured) {
          context.io.say(`Would fail: ${problemLine(nameOf(item), failure.message)}`)
        }
      } else {
        const planned = await doer.planned(item.input, item.checked.parsed)
        const request = client.prepare(planned[0], planned[1])
        told.push({input, request})
        if (isCurl) lines.push(planned)
        else if (!results.output.isStructured) await results.show(doer.showText(request))
      }
    }
    if (isCurl) await results.show(await curlText(context, lines))
    else if (results.output.isStructured && told.length > 0) await results.show(await rows(told))
  }
  if (!isCurl && results.output.isStructured && end) await results.show(await end({}))
}
