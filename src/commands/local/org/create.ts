import {Args, Flags} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalOrgCreate extends BaseCommand {
  static override effect = 'changes' as const
  static override summary = 'Make an organization, the owner of shared drives.'
  static override description =
    'With --sso, a classic personal access token opens these drives only once it is authorized for the organization; what refuses it names the address for that.'
  static override examples = examplesOf([
    ['Ask for single sign-on', 'local org create acme --sso --drive "$DRIVE_ID"'],
  ])
  static override args = {
    name: Args.string({
      description: 'Up to 39 letters, digits and hyphens.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...dataFlag,
    sso: Flags.boolean({summary: 'Enforce single sign-on.'}),
    drive: Flags.string({
      summary: 'ID of a shared drive that it owns; may be repeated.',
      helpValue: 'ID',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  protected override columnNames() {
    return ['id', 'name', 'sso', 'drives']
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalOrgCreate)
    const [{createOrganization, organizationByName}, {isLogin}, {driveExists}] = await Promise.all([
      import('#lib/service/oauth/store/organizations.js'),
      import('#lib/service/oauth/accountproblem.js'),
      import('#lib/service/store/drives.js'),
    ])
    if (!isLogin(args.name)) {
      throw new UsageError('The name of an organization has up to 39 letters, digits and hyphens.')
    }
    const store = await openData(flags.data, this.context)
    if (organizationByName(store, args.name)) {
      throw new CommandError('conflict', `There is an organization ${args.name} already.`)
    }
    const drives = flags.drive ?? []
    const unknown = drives.find(id => !driveExists(store, id))
    if (unknown !== undefined) {
      throw new CommandError('notFound', `There is no shared drive ${unknown}.`)
    }
    if (await this.printer.preview('create', `organization ${args.name}`)) return
    const {id, name} = createOrganization(
      store,
      {name: args.name, sso: flags.sso, drives},
      this.context.now(),
    )
    await this.printer.record({id, name, sso: flags.sso, drives})
  }
}
