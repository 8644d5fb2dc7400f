// What drv's own code needs of oclif. The index of the package also loads what checks the version
// of Node, at every start.
export * as Args from '@oclif/core/args'
export {Command} from '@oclif/core/command'
export * as Errors from '@oclif/core/errors'
export {execute} from '@oclif/core/execute'
export * as Flags from '@oclif/core/flags'
export {settings} from '@oclif/core/settings'
