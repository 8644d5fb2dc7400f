import {Args, Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

export default verb({
  summary: 'Make an organization, the owner of shared drives.',
  description:
    'With --sso, a classic personal access token opens these drives only once it is authorized for the organization; what refuses it names the address for that.',
  examples: [['Ask for single sign-on', 'local org create acme --sso --drive "$DRIVE_ID"']],
  args: {
    name: Args.string({
      description: 'Up to 39 letters, digits and hyphens.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    sso: Flags.boolean({summary: 'Enforce single sign-on.'}),
    drive: Flags.string({
      summary: 'ID of a shared drive that it owns; may be repeated.',
      helpValue: 'ID',
      multiple: true,
      multipleNonGreedy: true,
    }),
  },
  effect: 'changes',
  columns: ['id', 'name', 'sso', 'drives'],
  async run({args, flags}, context, printer) {
    const [{createOrganization, organizationByName}, {isLogin}, {driveExists}] = await Promise.all([
      import('#lib/service/oauth/store/organizations.js'),
      import('#lib/service/oauth/account-problem.js'),
      import('#lib/service/store/drives.js'),
    ])
    if (!isLogin(args.name)) {
      throw new UsageError('The name of an organization has up to 39 letters, digits and hyphens.')
    }
    const store = await openData(flags.data, context)
    if (organizationByName(store, args.name)) {
      throw new CommandError('conflict', `There is an organization ${args.name} already.`)
    }
    const drives = flags.drive ?? []
    const unknown = drives.find(id => !driveExists(store, id))
    if (unknown !== undefined) {
      throw new CommandError('notFound', `There is no shared drive ${unknown}.`)
    }
    if (await printer.preview('create', `organization ${args.name}`)) return
    const {id, name} = createOrganization(
      store,
      {name: args.name, sso: flags.sso, drives},
      context.now(),
    )
    await printer.record({id, name, sso: flags.sso, drives})
  },
})
