import type {Context} from '#lib/cli/context/context.js'
import {noPromptReason} from '#lib/cli/guard/confirm-destroying.js'
import {chooseAt, readRemotePath, withExitCode} from '#lib/cli/input/names/resolver.js'
import type {Row} from '#lib/cli/output/format.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {lockConfig, policiesOf, readConfig, withPolicies, writeConfig} from '#lib/config/config.js'
import {requiredDirectory} from '#lib/config/paths.js'
import {
  isPolicyName,
  parsePolicyValue,
  type Policies,
  POLICY_NAMES,
  POLICY_WORDS,
  type PolicyFolder,
  type PolicyName,
  policyText,
  type PolicyValues,
  policyValueText,
} from '#lib/config/policy.js'
import {findRemotePaths} from '#lib/transfer/remote/resolve.js'
import {followToFolder} from '#lib/transfer/remote/shortcuts.js'

/** Shows and changes the policies of a profile. Enforcing them: `lib/policy`. */

export const POLICY_COLUMNS = ['name', 'value', 'source']

/** The policies in force as records, with values as text unless `isStructured`. */
export function policyRecords(all: readonly Policies[] = [], isStructured: boolean): Row[] {
  return all.flatMap(({source, values}) =>
    POLICY_NAMES.filter(name => values[name] !== undefined).map(name => ({
      name,
      value: isStructured ? values[name] : policyValueText(values[name], name) || 'on',
      source: source.kind === 'profile' ? 'profile' : 'DRV_POLICY',
      ...(source.kind === 'file' && {file: source.name}),
    })),
  )
}

/** The policies in force in one line: `max-delete 50 (profile), no-public (DRV_POLICY)`. */
export function policiesText(all: readonly Policies[] = []): string | undefined {
  const texts = all.flatMap(({source, values}) =>
    POLICY_NAMES.filter(name => values[name] !== undefined).map(
      name =>
        `${policyText(name, values[name])} (${source.kind === 'profile' ? 'profile' : 'DRV_POLICY'})`,
    ),
  )
  return texts.length > 0 ? texts.join('; ') : undefined
}

/** Description of the policies for help. */
export const policyList = POLICY_NAMES.map(name => `${name}: ${POLICY_WORDS[name]}`).join('\n\n')

/** Throws `UsageError` for a word that is not a policy. */
export function policyNamed(word: string): PolicyName {
  if (isPolicyName(word)) return word
  throw new UsageError(`Unknown policy "${word}".`, `Policies: ${POLICY_NAMES.join(', ')}.`)
}

/** The value of a policy from the words of the command line; resolves folders to IDs. Throws `UsageError`. */
export async function policyValue(
  context: Context,
  name: PolicyName,
  words: readonly string[],
): Promise<NonNullable<PolicyValues[PolicyName]>> {
  const isSwitch = ['read-only', 'no-public', 'require-plan'].includes(name)
  const isList = name === 'only' || name === 'no-share-outside'
  if (isSwitch && words.length > 0) throw new UsageError(`The policy "${name}" takes no value.`)
  if (!isSwitch && (words.length === 0 || (words.length > 1 && !isList))) {
    throw new UsageError(`The policy "${name}" requires ${isList ? 'at least one' : 'one'} value.`)
  }
  const given = isSwitch ? true : isList ? words : words[0]
  const parsed = parsePolicyValue(name, given)
  if ('problem' in parsed) throw new UsageError(`Invalid ${name}: ${parsed.problem}.`)
  return name === 'only' ? foldersAt(context, words) : parsed.value!
}

/** The folders at some paths, with their IDs. */
async function foldersAt(
  context: Context,
  words: readonly string[],
): Promise<readonly PolicyFolder[]> {
  const places = words.map(readRemotePath)
  const client = await context.client()
  const located = await findRemotePaths(client, places, chooseAt(context))
  return Promise.all(
    located.map(async (one, index) => {
      const path = words[index]!
      if ('error' in one) throw withExitCode(one.error)
      const {entry} = await followToFolder(client, one.found)
      if (entry.kind !== 'folder') throw new UsageError(`${path} is not a folder.`)
      return {path, id: entry.id}
    }),
  )
}

/** Asks for confirmation before a policy is lifted. Throws `UsageError` if drv cannot prompt and `--yes` is not set. */
export async function confirmLifting(
  {io, signal}: Pick<Context, 'io' | 'signal'>,
  text: string,
  isYes: boolean,
): Promise<void> {
  if (isYes) return
  if (!io.interactive) {
    throw new UsageError(
      `${text} needs confirmation, but ${noPromptReason(io)}.`,
      'Pass --yes (-y) to confirm.',
    )
  }
  await confirm(`${text}?`, io, signal)
}

/** Changes the policies of a profile while no other command changes the configuration. */
export async function savePolicies(
  context: Pick<Context, 'directories'>,
  profile: string,
  change: (values: PolicyValues) => PolicyValues,
): Promise<void> {
  const directory = requiredDirectory('config', context.directories)
  await lockConfig(directory, async () => {
    const config = await readConfig(directory)
    await writeConfig(directory, withPolicies(config, profile, change(policiesOf(config, profile))))
  })
}
