import {readFile} from 'node:fs/promises'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {parseJson} from '#lib/platform/values.js'
import {parsePolicies, type Policies} from './policy.js'

/**
 * Reads the policies in the file that DRV_POLICY names, as YAML or JSON. Throws `SetupError('configuration')` for
 * anything that it does not understand: a limit that is not enforced would be worse than none.
 */
export async function readPolicyFile(path: string): Promise<Policies> {
  const refuse = (problem: string, cause?: unknown) =>
    new SetupError(
      'configuration',
      `The policy file ${printable(path, 200)} ${problem}. Correct the file, or unset DRV_POLICY.`,
      {cause},
    )
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw refuse(`cannot be read: ${reasonOf(error)}`, error)
  }
  const parsed = parsePolicies(parseJson(text) ?? (await parseYaml(text, refuse)))
  if ('problem' in parsed) throw refuse(printable(parsed.problem, 300))
  return {source: {kind: 'file', name: path}, values: parsed.values}
}

async function parseYaml(
  text: string,
  refuse: (problem: string, cause: unknown) => Error,
): Promise<unknown> {
  const {parse} = await import('yaml')
  try {
    return parse(text) as unknown
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n')
    throw refuse(`is not valid YAML: ${line.replace(/:$/, '')}`, error)
  }
}
