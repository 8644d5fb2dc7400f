import {join} from 'node:path'
import {type Directories, needed, systemHome} from '#lib/config/paths.js'
import {fileStore} from './file.js'
import {keychainStore} from './keychain.js'
import type {OpenStore} from './store.js'

/** The stores of this machine; that of files lies beside the configuration, in `tokens/`. */
export function stores(directories: Directories): OpenStore {
  return kind => {
    // A keychain belongs to a user, wherever this process has its configuration and state.
    const home = systemHome()
    const locks = home && join(home, '.local', 'state', 'drv', 'locks')
    if (kind === 'keychain') return keychainStore(undefined, locks)
    return fileStore(join(needed('config', directories), 'tokens'))
  }
}
