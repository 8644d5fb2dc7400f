import {syncBuiltinESMExports} from 'node:module'
import nock from 'nock'
import {afterEach, beforeEach, expect} from 'vitest'

// nock replaces the request functions when imported. Requests to a real server in the same file must not be
// affected.
nock.restore()

/** Blocks the network for the tests of a file or group, and fails a test that leaves a response unused. */
export function guardNetwork(): void {
  beforeEach(() => {
    nock.activate()
    nock.disableNetConnect()
  })
  afterEach(() => {
    const unused = nock.pendingMocks()
    nock.cleanAll()
    nock.restore()
    // Modules loaded meanwhile keep the functions of nock, for all files of this process.
    syncBuiltinESMExports()
    expect(unused).toEqual([])
  })
}
