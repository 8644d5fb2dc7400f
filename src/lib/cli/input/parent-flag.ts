import {Flags} from '@oclif/core'
import {idProblem} from '#lib/api/pathvalues.js'
import type {CallInput} from '#lib/client/client.js'
import {refuse} from './call-input.js'
import {isName} from './names/request-names.js'

/** `--parent`, for operations that make a file: the commonest part of a body that is no single value. */
export const parentFlag = {
  parent: Flags.string({
    summary: 'Folder to put it into: a path, a link or an ID; / stands for the top of My Drive.',
    helpValue: 'FOLDER',
    helpGroup: 'BODY',
  }),
}

/**
 * The request with its file put into the folder that `--parent` names. Throws `UsageError` for what
 * cannot be an ID.
 */
export function withParent(input: CallInput, parent: unknown): CallInput {
  if (parent === undefined) return input
  const text = String(parent)
  if (!isName('file', text)) refuse('--parent', idProblem('fileId', text))
  return {...input, body: {...input.body, parents: [{id: parent}]}}
}
