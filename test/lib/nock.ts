import nock from 'nock'
import {afterEach, beforeEach, expect} from 'vitest'

/** Lets no test of a file reach the network, and fails one that leaves an answer unasked for. */
export function guardNetwork(): void {
  beforeEach(() => nock.disableNetConnect())
  afterEach(() => {
    const unused = nock.pendingMocks()
    nock.cleanAll()
    nock.enableNetConnect()
    expect(unused).toEqual([])
  })
}
