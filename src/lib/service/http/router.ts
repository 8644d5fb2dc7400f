import {description} from '#lib/api/description/index.js'
import {type Operation, operations} from '#lib/api/operations.js'
import {literalSegments, matchPath} from '#lib/api/url-paths.js'

/** Which way a request takes to an operation: plainly, with content in its body, or for content alone. */
export type Form = 'plain' | 'upload' | 'download'

/** What a path and a method lead to. `allow` lists the methods that the path does know. */
export type Route =
  | {readonly form: Form; readonly operation: Operation; readonly values: Record<string, string>}
  | {readonly allow: readonly string[]}

export type Router = (method: string, path: string) => Route | undefined

interface Entry {
  readonly template: string
  readonly form: Form
  /** By method, in upper case. */
  readonly operations: Map<string, Operation>
}

/**
 * Routes as the description has them (reference: description-format.md, sections 5 and 6): of two
 * templates that fit, the one with more literal segments is meant, whatever the method.
 */
export function createRouter(): Router {
  const bySegments = new Map<number, Entry[]>()
  const add = (template: string, form: Form, method: string, target: Operation) => {
    const count = template.split('/').length
    const entries = bySegments.get(count) ?? []
    bySegments.set(count, entries)
    let entry = entries.find(known => known.template === template)
    if (!entry) entries.push((entry = {template, form, operations: new Map()}))
    entry.operations.set(method, target)
  }

  for (const target of operations) {
    const path = `/${description.servicePath}${target.path}`
    add(path, 'plain', target.httpMethod, target)
    if (target.useMediaDownloadService) add(`/download${path}`, 'download', 'GET', target)
    for (const uploadPath of uploadPaths(target)) {
      add(uploadPath, 'upload', target.httpMethod, target)
      // The description has PUT alone; the specification lets PATCH change content, too.
      if (target.httpMethod === 'PUT') add(uploadPath, 'upload', 'PATCH', target)
    }
  }
  for (const entries of bySegments.values()) {
    entries.sort((a, b) => literalSegments(b.template) - literalSegments(a.template))
  }

  return (method, path) => {
    for (const {template, form, operations} of bySegments.get(path.split('/').length) ?? []) {
      const values = matchPath(template, path)
      if (!values) continue
      const target = operations.get(method)
      return target ? {form, operation: target, values} : {allow: [...operations.keys()]}
    }
    return undefined
  }
}

/** Where an operation takes in content. Resumable uploads have an older path of their own, too. */
function uploadPaths({mediaUpload}: Operation): string[] {
  const {simple, resumable} = mediaUpload?.protocols ?? {}
  if (!simple || !resumable) return []
  return [...new Set([simple.path, resumable.path, `/resumable${simple.path}`])]
}
