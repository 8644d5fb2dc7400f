import {Args, Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

export default verb({
  summary: 'Create an organization that owns shared drives.',
  description:
    'With --sso, a classic personal access token has no access to these drives until it is authorized for the organization. The error names the page where you can authorize it.',
  examples: [['Require single sign-on', 'local org create acme --sso --drive "$DRIVE_ID"']],
  args: {
    name: Args.string({
      description: 'Name of the organization: up to 39 letters, digits and hyphens.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    sso: Flags.boolean({summary: 'Require single sign-on.'}),
    drive: Flags.string({
      summary: 'ID of a shared drive of the organization; may be repeated.',
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
      throw new UsageError(
        `Invalid organization name ${JSON.stringify(args.name)}.`,
        'Use up to 39 letters, digits and hyphens, with no hyphen at the start or end.',
      )
    }
    const store = await openData(flags.data, context)
    if (organizationByName(store, args.name)) {
      throw new CommandError('conflict', `The organization ${args.name} already exists.`)
    }
    const drives = flags.drive ?? []
    const unknown = drives.find(id => !driveExists(store, id))
    if (unknown !== undefined) {
      throw new CommandError(
        'notFound',
        `The shared drive "${unknown}" does not exist.`,
        'Run `drv drives list` to see the shared drives and their IDs.',
      )
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
