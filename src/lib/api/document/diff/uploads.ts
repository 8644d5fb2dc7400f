import {bytesIn} from '#lib/api/document/formats.js'
import type {MediaUpload} from '#lib/api/types.js'
import {compareFlag, compareMaps, compareValue, type Comparison, tell} from './changes.js'

/** What a method takes as content (spec: description-format.md, "mediaUpload"). */

export function compareUploads(
  one: MediaUpload | undefined,
  other: MediaUpload | undefined,
  place: string,
  found: Comparison,
): void {
  if (!one || !other) {
    if (one) tell(found, 'removed', true, place, 'No content is taken any more.')
    if (other) tell(found, 'added', false, place, 'Content is taken.')
    return
  }
  compareAccepted(one.accept, other.accept, `${place}.accept`, found)
  const [before, after] = [one, other].map(({maxSize}) => bytesIn(maxSize ?? '') ?? Infinity)
  if (before !== after) {
    const sizes = [one.maxSize, other.maxSize] as const
    compareValue(found, `${place}.maxSize`, sizes, after! < before!)
  }
  compareMaps(one.protocols, other.protocols, {
    removed: name =>
      tell(found, 'removed', true, `${place}.protocols.${name}`, 'The way to upload is gone.'),
    added: name =>
      tell(found, 'added', false, `${place}.protocols.${name}`, 'The way to upload is new.'),
    kept: (name, from, to) => {
      const at = `${place}.protocols.${name}`
      compareValue(found, `${at}.path`, [from.path, to.path], true)
      compareFlag(found, `${at}.multipart`, [from.multipart, to.multipart], false)
    },
  })
}

/** Without a list every type is taken. */
function compareAccepted(
  one: readonly string[] = ['*/*'],
  other: readonly string[] = ['*/*'],
  place: string,
  found: Comparison,
): void {
  const gone = one.filter(range => !other.some(wider => isPart(range, wider)))
  const come = other.filter(range => !one.some(wider => isPart(range, wider)))
  if (gone.length > 0)
    tell(found, 'removed', true, place, `Not taken any more: ${gone.join(', ')}.`)
  if (come.length > 0) tell(found, 'added', false, place, `Taken as well: ${come.join(', ')}.`)
}

/** Whether each type of a media range is one of another range. */
function isPart(range: string, wider: string): boolean {
  return (
    wider === '*/*' ||
    range === wider ||
    (wider.endsWith('/*') && range.startsWith(wider.slice(0, -1)))
  )
}
