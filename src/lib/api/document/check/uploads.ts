import {bytesIn} from '#lib/api/document/formats.js'
import {shown} from '#lib/api/validate.js'
import {flag, list, object, textThat} from './shape.js'
import {below, breach, checkBelowRoot, remark, type Spot} from './spot.js'
import {isTemplate, namesIn} from './templates.js'
import {type Members, membersIn, textIn} from './values.js'

/** The uploads of a method (spec: description-format.md, "mediaUpload"; reference: section 6). */

const mediaRange = textThat((value, spot) => {
  if (/^(\*\/\*|[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+))$/.test(value)) return
  breach(spot, 'media-range', `This must be a media range such as image/*, not ${shown(value)}.`)
})

const maxSize = textThat((value, spot) => {
  if (bytesIn(value) === undefined) {
    breach(spot, 'max-size', `This must be a size such as 1MB, 2GB or 3TB, not ${shown(value)}.`)
  } else if (!/B$/i.test(value)) remark(spot, 'max-size', 'This has no unit; readers take bytes.')
})

const path = textThat((value, spot) => checkBelowRoot(spot, value))

const protocol = object({multipart: flag, path}, {needed: ['path'], expected: ['multipart']})

const protocols = object({simple: protocol, resumable: protocol}, {rules: [someProtocol]})

export const mediaUpload = object(
  {accept: list(mediaRange), maxSize, protocols},
  {needed: ['protocols'], expected: ['accept']},
)

function someProtocol({simple, resumable}: Members, spot: Spot): void {
  if (simple !== undefined || resumable !== undefined) return
  breach(spot, 'upload-protocol', 'Either simple or resumable must be there.')
}

/** What says that uploads are taken, and what says how, are there together. */
export function uploadSupport({supportsMediaUpload, mediaUpload}: Members, spot: Spot): void {
  if (supportsMediaUpload === true && mediaUpload === undefined) {
    breach(below(spot, 'mediaUpload'), 'media-upload', 'Uploads are taken, but nothing says how.')
  }
  if (supportsMediaUpload !== true && mediaUpload !== undefined) {
    const tell = supportsMediaUpload === undefined ? remark : breach
    const words = 'Uploads are described, but this does not say that they are taken.'
    tell(below(spot, 'supportsMediaUpload'), 'media-upload', words)
  }
}

/** A path of uploads starts at the root, and names what the path of the method names. */
export function uploadPaths({path, mediaUpload}: Members, spot: Spot): void {
  const at = below(below(spot, 'mediaUpload'), 'protocols')
  const given = membersIn(membersIn(mediaUpload).protocols)
  const due = sortedNames(textIn(path) ?? '')
  for (const [name, facts] of Object.entries(given)) {
    const upload = textIn(membersIn(facts).path)
    if (upload === undefined) continue
    const place = below(below(at, name), 'path')
    if (!upload.startsWith('/')) {
      breach(place, 'upload-path', `This must start with a slash, unlike ${shown(upload)}.`)
    }
    if (typeof path === 'string' && (!isTemplate(upload) || sortedNames(upload) !== due)) {
      breach(place, 'upload-names', 'It must name the same parameters as the path of the method.')
    }
  }
}

function sortedNames(template: string): string {
  return namesIn(template).sort().join()
}
