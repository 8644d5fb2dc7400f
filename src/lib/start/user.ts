import {userInfo} from 'node:os'
import {systemHome} from '#lib/config/paths.js'

/**
 * Sets a shell and a home directory for a user without an entry in /etc/passwd, as in a container
 * started with `--user`: where the variables are missing, oclif asks the system as soon as it is
 * loaded, which throws. Everywhere else an empty HOME counts as none.
 */
export function completeUser(environment: NodeJS.ProcessEnv): void {
  if (environment.SHELL === undefined) {
    try {
      userInfo()
    } catch {
      // The default of passwd(5).
      environment.SHELL = '/bin/sh'
    }
  }
  if (environment.HOME === undefined && systemHome() === undefined) environment.HOME = ''
}
