import {join} from 'node:path'
import {type Directories, requiredDirectory, systemHome} from '#lib/config/paths.js'
import {fileStore} from './file.js'
import {keychainStore} from './keychain.js'
import type {OpenStore} from './store.js'

/** The stores of this machine; the file store is `tokens/` in the configuration directory. */
export function stores(directories: Directories): OpenStore {
  return kind => {
    // Not the state directory: processes with different directories share the user's keychain.
    const home = systemHome()
    const locks = home && join(home, '.local', 'state', 'drv', 'locks')
    if (kind === 'keychain') return keychainStore(undefined, locks)
    return fileStore(join(requiredDirectory('config', directories), 'tokens'))
  }
}
