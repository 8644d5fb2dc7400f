import {parentIds} from '#lib/api/reached.js'
import {isObject} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {effectiveRole, type Grantee, isOf} from '#lib/cli/input/names/permissions.js'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import {sharedCriterion} from '#lib/cli/verbs/everyday/people-criteria.js'
import type {Page} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {ALL_DRIVES, searchParameters} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import {previewAccessChanges, sharingEngine} from './change-access.js'
import {CHANGE_COLUMNS} from './plan.js'
import {grantsOf, isRoleAtLeast, permissionsById} from './read-access.js'

/** The access of one person to one file. */
interface Access {
  readonly record: Page
  readonly who: Grantee
  readonly permission: Page
}

/** Maximum number of searches for access that was hidden by access already removed. */
const PASSES = 20

/** The notice about access that inherited access hides, for a dry run or a plan. */
function hiddenText(isPlan: boolean): string {
  const next = isPlan
    ? 'After `drv apply`, run `drv unshare --everywhere` again to remove the direct access too.'
    : 'Without --dry-run, drv removes the direct access too.'
  return `Files in these folders may also be shared directly, which shows only after the inherited access is removed. ${next}`
}

/**
 * Removes the access of people to everything, at the files and folders where it was granted. Inherited access
 * ends with the grant on the folder above. Searches again afterwards, because such a grant can hide others.
 */
export async function removeEverywhere(
  context: Context,
  whos: readonly Grantee[],
  printer: Printer,
  confirm: (steps: readonly Step[]) => Promise<void>,
): Promise<void> {
  const rows: Row[] = []
  const failed = new Map<string, string>()
  const {isWhole, ...first} = await removalSteps(context, whos)
  let {steps} = first
  if (context.options.dryRun) {
    await previewAccessChanges(steps, context, printer)
    if (!isWhole) context.note(hiddenText(context.options.plan !== undefined))
    return
  }
  await confirm(steps)
  for (let pass = 0; steps.length > 0 && pass < PASSES; pass++) {
    const before = rows.length
    await carryOut(steps)
    if (rows.length === before) break
    const next = await removalSteps(context, whos)
    steps = next.steps.filter(step => !failed.has(labelOf(step)))
  }
  await printer.records(rows, [...CHANGE_COLUMNS], 'share')
  for (const [label, reason] of failed) context.io.say(`Failed: ${problemLine(label, reason)}`)
  if (failed.size > 0) {
    throw new CommandError('partial', `Could not remove access to ${count(failed.size, 'file')}.`)
  }
  if (rows.length === 0)
    context.note(`No files are shared with ${whos.map(who => who.word).join(' or ')}.`)

  async function carryOut(some: readonly Step[]): Promise<void> {
    await runPlan(sharingEngine(context, printer), some, {
      total: some.length,
      account: {
        done: step => void rows.push(step.rowOf?.(undefined) ?? {}),
        failed: (step, reason) => void failed.set(labelOf(step), reason),
        skipped: () => undefined,
        conclude: async () => undefined,
      },
    })
  }
}

/** The steps that remove access where it was granted; `isWhole` if no inherited access can hide more of them. */
async function removalSteps(
  context: Context,
  whos: readonly Grantee[],
): Promise<{readonly steps: Step[]; readonly isWhole: boolean}> {
  const all = (await Promise.all(whos.map(who => accessOf(context, who)))).flat()
  const client = await context.client()
  const paths = createPaths(client)
  const own = ownAccess(all)
  const where = await paths.of(own.map(({record}) => record))
  const steps = own.map(({record, who, permission}, index): Step => {
    const fileId = String(record.id)
    const permissionId = String(permission.id)
    const file = where[index]!
    const before = effectiveRole(permission)
    return {
      original: {file, who: who.word},
      label: `${file} ${who.word}`,
      call: {
        id: 'permissions.delete',
        input: {params: {fileId, permissionId, ...ALL_DRIVES}},
      },
      rowOf: () => ({file, who: who.word, fileId, before, change: 'ended', id: permissionId}),
      change: () => ({action: 'unshare', thing: file, who: who.word}),
      // Somebody else has removed it in the meantime, or it ended with a grant on a folder above.
      recover: async error => (isNotFound(error) ? {record: undefined} : {error}),
    }
  })
  const isHidden = ({permission}: Access) => !grantsOf(permission)
  return {steps, isWhole: !all.some(one => !own.includes(one) && isHidden(one))}
}

/** The access that is not inherited from another item in `all`. */
export function ownAccess(all: readonly Access[]): Access[] {
  const keyOf = (fileId: unknown, {id}: Page) => `${String(fileId)} ${String(id)}`
  const roles = new Map(
    all.map(({record, permission}) => [keyOf(record.id, permission), effectiveRole(permission)]),
  )
  return all.filter(({record, permission}) => {
    const grants = grantsOf(permission)
    if (grants) return !grants.every(({isInherited}) => isInherited)
    return !parentIds(record).some(parent => {
      const above = roles.get(keyOf(parent, permission))
      return above !== undefined && isRoleAtLeast(above, effectiveRole(permission))
    })
  })
}

/** The access of a person to shared drives, and to all files that the user can see. */
async function accessOf(context: Context, who: Grantee): Promise<Access[]> {
  const client = await context.client()
  const permission = ['id', 'type', 'role', 'additionalRoles', 'emailAddress', 'domain']
  const fields = recordFields([
    ...PATH_FIELDS.filter(field => !field.startsWith('parents')),
    ...permission.map(name => `permissions.${name}`),
  ])
  const {term} = sharedCriterion(who.word)
  const params = {
    ...searchParameters({
      isTrashToo: true,
      terms: term === undefined ? ['trashed = false'] : [term],
      fields: `${fields},parents(id,isRoot)`,
    }),
    corpora: 'allDrives',
  }
  const records: Page[] = []
  for await (const page of client.pages('files.list', {params})) {
    context.signal.throwIfAborted()
    records.push(...recordsOf(page))
  }
  const [inDrives, others] = [true, false].map(isIn =>
    records.filter(({driveId}) => (driveId !== undefined) === isIn),
  ) as [Page[], Page[]]
  const drives = new Set(inDrives.map(({driveId}) => String(driveId)))
  const tops = [...drives].map((id): Page => ({id, driveId: id}))
  // Lists do not include the permissions of items in shared drives.
  const known = await permissionsById(
    context,
    [...tops, ...inDrives].map(({id}) => String(id)),
  )
  return [...others, ...tops, ...inDrives].flatMap(record => {
    const {permissions = known.get(String(record.id))} = record
    if (!Array.isArray(permissions)) return []
    return permissions
      .filter(isObject)
      .filter(one => isOf(who, one) && effectiveRole(one) !== 'owner')
      .map(permission => ({record, who, permission}))
  })
}
