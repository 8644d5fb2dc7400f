import type {Obstacle} from '../../../api/systemwords.js'
import {failure} from '../../errors.js'
import {DiskError, inWords} from '../../store/content/disk.js'

/**
 * What a request is answered with when the disk keeps the service from its work. The reasons say
 * that another attempt would fail the same way. 507 is RFC 4918, section 11.5: what the request
 * wants kept cannot be; the reason for a full disk is that for any storage that is used up
 * (reference: protocols.md, section 14).
 */
const ANSWERS: Readonly<Partial<Record<Obstacle, readonly [status: number, reason: string]>>> = {
  full: [507, 'storageQuotaExceeded'],
  share: [507, 'storageQuotaExceeded'],
  readOnly: [507, 'storageNotWritable'],
  forbidden: [507, 'storageNotWritable'],
  closed: [507, 'storageNotWritable'],
  device: [507, 'storageFailed'],
  damaged: [500, 'databaseDamaged'],
  foreign: [500, 'databaseDamaged'],
}

/**
 * The answer for an error of the disk below `directory`, which `log` hears of as well; any other
 * error as it is.
 */
export function diskFailure(
  error: unknown,
  directory: string,
  log: (error: unknown) => void,
): unknown {
  const told = inWords(error, directory)
  const answer = told instanceof DiskError && ANSWERS[told.obstacle]
  if (!answer) return error
  log(told)
  return failure(...answer, told.message)
}
