import {join} from 'node:path'
import {type Directories, needed} from '#lib/config/paths.js'
import {fileStore} from './file.js'
import {keychainStore} from './keychain.js'
import type {OpenStore} from './store.js'

/** The stores of this machine; that of files lies beside the configuration, in `tokens/`. */
export function stores(directories: Directories): OpenStore {
  return kind => {
    if (kind === 'keychain') return keychainStore()
    return fileStore(join(needed('config', directories), 'tokens'))
  }
}
