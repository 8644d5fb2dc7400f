import {readdirSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {type Config, listProfiles} from '#lib/config/config.js'
import type {Candidate} from './decide.js'

/** What can be offered without a service: columns, profiles, names of files. */

/** The names of columns that begin with what is typed; those within others only behind their dot. */
export function columnsFor(text: string, names: readonly string[]): readonly Candidate[] {
  const depth = text.split('.').length
  return names
    .filter(name => name.startsWith(text) && name.split('.').length === depth)
    .map(value => ({value, isOpen: true}))
}

/** The profiles that there are, with where they work. */
export function profilesFor(text: string, config: Config): readonly Candidate[] {
  return listProfiles(config)
    .filter(({profile}) => profile.startsWith(text))
    .map(({profile, service, user}) => ({
      value: profile,
      about: [service, user?.login].filter(Boolean).join(', '),
    }))
}

/** The files of this machine whose names begin with what is typed; hidden ones only behind a dot. */
export function filesFor(text: string, home: string | undefined): readonly Candidate[] {
  const end = text.lastIndexOf('/') + 1
  const [folder, name] = [text.slice(0, end), text.slice(end)]
  const place = folder.startsWith('~/') && home ? join(home, folder.slice(2)) : folder
  return (
    entriesOf(place === '' ? '.' : place)
      .filter(entry => entry.name.startsWith(name) && (name !== '' || !entry.name.startsWith('.')))
      // At the start of a word it would be a flag.
      .filter(entry => folder !== '' || !entry.name.startsWith('-'))
      .map(entry => {
        const isOpen = entry.isDirectory()
        return {value: `${folder}${entry.name}${isOpen ? '/' : ''}`, isOpen}
      })
  )
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, {withFileTypes: true})
  } catch {
    return []
  }
}

/** The folder of the installation that the file of the bundle is in. */
export function rootOf(bundle: string): string {
  return dirname(dirname(bundle))
}
