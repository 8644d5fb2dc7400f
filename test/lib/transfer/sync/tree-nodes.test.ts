import fc from 'fast-check'
import {expect, test} from 'vitest'
import {packNode, type TreeNode} from '#lib/transfer/sync/tree-node.js'
import {createTreeNodes} from '#lib/transfer/sync/tree-nodes.js'

const id = fc.constantFrom('a', 'b', 'c', 'd')
const parent = fc.constantFrom('', 'root', 'a', 'b')
const node = fc.record({
  id,
  parent,
  local: fc.option(fc.record({parent, name: fc.constantFrom('x', 'y')}), {nil: undefined}),
})

test('nodes are found by ID, folder and place, in memory or in the log', () => {
  const edit = fc.oneof(
    fc.record({put: node, isWritten: fc.boolean()}),
    fc.record({remove: id}),
    fc.constant('rewrite' as const),
  )
  fc.assert(
    fc.property(fc.array(edit), edits => {
      // The log starts with a heading.
      let log = ['heading']
      const nodes = createTreeNodes()
      nodes.readFrom(at => log[at]!)
      const expected = new Map<string, TreeNode>()
      const write = (one: TreeNode) => log.push(JSON.stringify(['node', ...packNode(one)])) - 1
      for (const change of edits) {
        if (change === 'rewrite') {
          log = ['heading', ...nodes.lines(one => JSON.stringify(['node', ...packNode(one)]))]
          nodes.rewrote([...log.keys()].slice(1))
        } else if ('remove' in change) {
          nodes.delete(change.remove)
          expected.delete(change.remove)
        } else {
          const {id: own, parent: folder, local} = change.put
          const remote = {kind: 'folder' as const, id: own, title: own, size: 0}
          const one = {parent: folder, remote, ...(local && {local})} as unknown as TreeNode
          // A place has one item.
          const isTaken = [...expected.values()].some(
            other =>
              other.remote.id !== own &&
              local?.name === other.local?.name &&
              local?.parent === other.local?.parent,
          )
          if (local && isTaken) continue
          nodes.set(one)
          if (change.isWritten) nodes.wrote(one, write(one))
          expected.set(own, one)
        }
        expect(nodes.size).toBe(expected.size)
        expect(byId(nodes.values())).toEqual(byId(expected.values()))
        for (const one of 'abcd') expect(nodes.get(one)).toEqual(expected.get(one))
        const folders = new Set([...expected.values()].map(one => one.parent))
        expect(new Set(nodes.parentIds())).toEqual(folders)
        for (const one of ['', 'root', 'a', 'b']) {
          const all = [...expected.values()]
          const inside = all.filter(other => other.parent === one)
          expect(byId(nodes.childrenOf(one))).toEqual(byId(inside))
          expect(nodes.childIdsOf(one)).toEqual(nodes.childrenOf(one).map(({remote}) => remote.id))
          for (const name of ['x', 'y']) {
            const there = all.find(({local}) => local?.parent === one && local.name === name)
            expect(nodes.at({parent: one, name})).toEqual(there)
          }
        }
      }
    }),
  )
})

function byId(nodes: Iterable<TreeNode>): TreeNode[] {
  return [...nodes].sort((one, other) => (one.remote.id < other.remote.id ? -1 : 1))
}
