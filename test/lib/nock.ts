import {syncBuiltinESMExports} from 'node:module'
import nock from 'nock'
import {afterEach, beforeEach, expect} from 'vitest'

// It takes hold of every request at its import. Those to a real server of the same file are none of its business.
nock.restore()

/** Lets no test of a file, or of a part of it, reach the network, and fails one that leaves an answer unasked for. */
export function guardNetwork(): void {
  beforeEach(() => {
    nock.activate()
    nock.disableNetConnect()
  })
  afterEach(() => {
    const unused = nock.pendingMocks()
    nock.cleanAll()
    nock.restore()
    // What was loaded meanwhile has Node's functions as nock put them, for all files of this process.
    syncBuiltinESMExports()
    expect(unused).toEqual([])
  })
}
