import {lstatSync, renameSync} from 'node:fs'
import {basename, join} from 'node:path'
import {holdBelow, inFolderOf, withGivenPath} from '#lib/transfer/local/held-folder.js'
import {moveFile} from '#lib/transfer/replace-file.js'
import {ownPartOf} from '#lib/transfer/target.js'

/** Renames a file or folder below `root`; never over an existing file. Throws the system's error. */
export function renameInTree(root: string, from: string, to: string): void {
  inFolderOf(root, from, (folder, name) => {
    const target = holdBelow(root, join(to, '..'))
    try {
      const [old, next] = [folder.entry(name), target.entry(basename(to))]
      if (lstatSync(old).isDirectory()) renameSync(old, next)
      else {
        const names = {from: name, to: basename(to), aside: basename(ownPartOf(from))}
        moveFile({from: folder, to: target}, names)
      }
      target.check()
    } catch (error) {
      throw withGivenPath(error, target)
    } finally {
      target.close()
    }
  })
}
