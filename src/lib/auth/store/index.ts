import {join} from 'node:path'
import {type Directories, needed} from '#lib/config/paths.js'
import {fileStore} from './file.js'
import {keychainStore} from './keychain.js'
import type {OpenStore} from './store.js'

/**
 * The places where secrets are kept live here, keychain and files. What they are for belongs to the
 * room above. The file store lies beside the configuration, in `tokens/`.
 */
export function stores(directories: Directories): OpenStore {
  return kind => {
    if (kind === 'keychain') return keychainStore()
    return fileStore(join(needed('config', directories), 'tokens'))
  }
}
