import {expect, test} from 'vitest'
import {messagesByFolder} from '../support/messages.js'
import {sourceFiles} from '../support/source-texts.js'

/**
 * The messages of drv: errors, hints, notices, prompts, progress and results. The local service has its own
 * collection (`test/service/messages`); help is in `docs/commands`.
 */

const files = sourceFiles('src/lib').filter(file => !/^src\/lib\/(?:api|service)\//.test(file))

test.each(messagesByFolder(files))('%s', (_, messages) => {
  expect(messages).toRead()
})
