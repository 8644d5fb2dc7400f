// The parts of oclif that drv uses. The index of the package also loads a check of the Node version at every
// start.
export * as Args from '@oclif/core/args'
export {Command} from '@oclif/core/command'
export * as Errors from '@oclif/core/errors'
export {execute} from '@oclif/core/execute'
export * as Flags from '@oclif/core/flags'
export {settings} from '@oclif/core/settings'
