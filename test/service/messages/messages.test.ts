import {expect, test} from 'vitest'
import {messagesByFolder} from '../../support/messages.js'
import {sourceFiles} from '../../support/source-texts.js'

/**
 * The messages of the local service and of the checks of descriptions. Most of them reach users through
 * other programs, so few tests read them. The pages are in `service-pages`.
 */

const files = [...sourceFiles('src/lib/service'), ...sourceFiles('src/lib/api/document')].filter(
  file => !/\/(?:pages|types|handlers\/index)\/|\/(?:layout|documents)\.ts$/.test(file),
)

test.each(messagesByFolder(files))('%s', (_, messages) => {
  expect(messages).toRead()
})
