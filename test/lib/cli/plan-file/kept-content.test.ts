import {expect, test} from 'vitest'
import {contentFolderOf} from '#lib/cli/plan-file/kept-content.js'

test.each([
  ['/w/a.plan.content-Ab12_9/x.txt', '/w/a.plan.content-Ab12_9'],
  ['/w/a.plan.content-Ab12_9/sub/x.txt', '/w/a.plan.content-Ab12_9'],
  ['/w/a.plan.content-Ab12_9', undefined],
  ['/w/a.plan.content-Ab12/x.txt', undefined],
  ['/w/a.plan.content-Ab12_9.txt/x.txt', undefined],
  ['/w/b.plan.content-Ab12_9/x.txt', undefined],
  ['/w/sub/a.plan.content-Ab12_9/x.txt', undefined],
  ['/v/a.plan.content-Ab12_9/x.txt', undefined],
  ['/w/x.txt', undefined],
  ['/w/a.plan', undefined],
])('the content folder of /w/a.plan for %s', (path, folder) => {
  expect(contentFolderOf('/w/a.plan', path)).toBe(folder)
})
