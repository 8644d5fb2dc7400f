import type {OperationId} from '#lib/api/operations.js'
import type {HandlersOf} from '#lib/service/call.js'
import {aboutHandlers} from './about.js'
import {appsHandlers} from './apps.js'
import {changesHandlers} from './changes.js'
import {channelsHandlers} from './channels.js'
import {drivesHandlers} from './drives.js'
import {filesHandlers, searchHandlers} from './files.js'
import {labelsHandlers} from './labels.js'
import {childrenHandlers, parentsHandlers} from './parents.js'
import {permissionsHandlers} from './permissions.js'
import {propertiesHandlers} from './properties.js'
import {revisionsHandlers} from './revisions.js'

/**
 * The behaviour of every operation lives here, a file a resource: what is checked, what is done, what
 * is answered. What a record looks like belongs to ../records, SQL to ../store. An operation that is
 * missing does not compile.
 */
export const handlers: HandlersOf<OperationId> = {
  ...aboutHandlers,
  ...appsHandlers,
  ...changesHandlers,
  ...channelsHandlers,
  ...childrenHandlers,
  ...drivesHandlers,
  ...filesHandlers,
  ...labelsHandlers,
  ...parentsHandlers,
  ...permissionsHandlers,
  ...propertiesHandlers,
  ...revisionsHandlers,
  ...searchHandlers,
}
