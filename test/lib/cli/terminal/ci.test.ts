import {expect, test} from 'vitest'
import {isCi} from '#lib/cli/terminal/ci.js'

test.each([
  [{}, false],
  [{CI: ''}, false],
  [{CI: '0'}, false],
  [{CI: 'False'}, false],
  [{CI: 'true'}, true],
  [{CI: '1'}, true],
  [{CI: 'woodpecker'}, true],
])('%j is CI: %j', (environment, expected) => expect(isCi(environment)).toBe(expected))
