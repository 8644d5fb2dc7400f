import {Flags} from '@oclif/core'
import {isOfSameApi, type Operation, pathParameters} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {manyFlags, optional} from '#lib/cli/input/items/several.js'
import {argumentName} from '#lib/cli/input/parameter-flags.js'
import {channelDefaults, NEW_ID} from '#lib/cli/input/shared-flags.js'
import {asVerb, operationVerb} from '#lib/cli/run/operation-command.js'
import {
  type AnyVerb,
  commandLine,
  type Example,
  type OperationOptions,
  operationUsage,
} from '#lib/cli/run/verb-description.js'
import {ranked, shownName} from '#lib/cli/terminal/read-argv.js'
import {downloadRoute, uploadPreview} from '#lib/cli/verbs/content/content-routes.js'
import {
  checkDownload,
  fileFacts,
  printSaved,
  receiveFlags,
} from '#lib/cli/verbs/content/download.js'
import {sendContent, uploadFlags} from '#lib/cli/verbs/content/upload.js'
import type {CallInput} from '#lib/client/client.js'
import {kebabCase} from '#lib/platform/values.js'
import {documentFlags} from './document-source.js'
import {namedIn, otherParameters, parameterFlags, withParameters} from './params.js'

/**
 * Turns a method of any description into a command. Reading descriptions belongs to
 * `../../api/document`.
 */

const uploadFlag = {
  upload: Flags.string({
    summary: 'Upload content with the request (- reads standard input).',
    helpValue: 'FILE|-',
  }),
}

function outputFlag(isBytes: boolean) {
  return {
    output: ranked(
      5,
      Flags.string({
        summary: 'Write the content to a file, into a folder, or to standard output (-).',
        char: 'o',
        helpValue: 'PATH|-',
        ...(isBytes && {default: '-'}),
      }),
    ),
  }
}

/** Flags that keep their meaning, whatever the description calls its parameters. */
const OWN = [
  ...Object.keys({...manyFlags, ...uploadFlags, ...uploadFlag, ...receiveFlags, ...documentFlags}),
  ...['all', 'limit', 'yes', 'param', 'output'],
]

/**
 * The command for a method of any description, like those of the built-in operations but made at run
 * time. Positional arguments of `argv` go to the path parameters that no flag sets.
 */
export function callVerb(method: Operation, argv: readonly string[]): AnyVerb {
  const inPath = pathParameters(method)
  const described: Operation = {...method, reserved: [...OWN, ...inPath.map(kebabCase)]}
  const isBytes = !described.response && described.httpMethod === 'GET'
  const takesContent = Boolean(described.supportsMediaUpload)
  const givesContent = isBytes || Boolean(described.supportsMediaDownload)
  /** Facts about the content to download; for methods of other APIs only an ID as its title. */
  const contentFacts = async ({params}: CallInput, context: Context) => {
    const isFile = isOfSameApi(described.document) && described.operationId === 'files.get'
    if (isFile) return fileFacts(await context.client(), params)
    return {title: String(params[inPath.at(-1) ?? ''] ?? described.verb)}
  }
  const route: OperationOptions['route'] = (input, {flags}, {context}) => {
    const id = described.operationId
    if (flags.upload !== undefined) {
      const path = String(flags.upload)
      return {
        work: () => sendContent(context, id, input, path, flags),
        preview: () => uploadPreview(id, input, path),
      }
    }
    return downloadRoute(context, flags, {
      operation: id,
      params: input.params,
      isBytes,
      find: async to => (to === '-' ? {title: ''} : contentFacts(input, context)),
    })
  }
  const options: OperationOptions = {
    route,
    print: printSaved,
    async request(standard, {flags}) {
      if (givesContent && !isBytes) checkDownload(flags, 'force', 'limit-rate', 'progress')
      const {params, ...rest} = await standard()
      return {...rest, params: {...params, ...otherParameters(described, flags.param)}}
    },
    defaults: defaultsOf(described),
    flags: {
      ...parameterFlags(described),
      ...(takesContent && {...uploadFlag, ...uploadFlags}),
      ...(givesContent && {...outputFlag(isBytes), ...receiveFlags}),
      ...documentFlags,
    },
  }
  const base = operationVerb(described, examplesFor(described), options)
  const named = new Set(namedIn(inPath, argv).map(argumentName))
  const isFree = ([name]: [string, unknown]) => !named.has(name)
  return asVerb({
    ...base,
    name: `api call ${described.id}`,
    args: Object.fromEntries(Object.entries(base.args).filter(isFree)),
    flags: optional(base.flags),
    usage: `api call ${described.id}${operationUsage(described, optional(base.args)).slice(commandLine(described).length)}`,
    settle: given => withParameters(described, given, given.flags.from !== undefined),
  })
}

/** Defaults: new IDs for required request IDs, and those of notification channels. */
function defaultsOf({parameters, request, supportsSubscription}: Operation) {
  return {
    ...(parameters.requestId?.required && {query: {'request-id': NEW_ID}}),
    ...(supportsSubscription && request?.$ref === 'Channel' && channelDefaults),
  }
}

function examplesFor(described: Operation): Example[] {
  const {id} = described
  const words = pathParameters(described).map(name => shownName(argumentName(name)))
  return [
    ['Call the method', ['api call', id, ...words].join(' ')],
    ['Show the request without sending it', ['api call', id, ...words, '--dry-run'].join(' ')],
  ]
}
