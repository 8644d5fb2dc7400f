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
 * The handler of every operation, one file per resource: it checks the request, changes the store
 * and returns the response. Records: `../records`. SQL: `../store`. A missing operation does not
 * compile.
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
