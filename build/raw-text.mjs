import {readFileSync} from 'node:fs'
import {resolve} from 'node:path'

/**
 * Makes `import text from './file?raw'` return the text of a file, as in vite.
 * @type {import('esbuild').Plugin}
 */
export const rawText = {
  name: 'raw text',
  setup({onResolve, onLoad}) {
    onResolve({filter: /\?raw$/}, ({path, resolveDir}) => ({
      path: resolve(resolveDir, path.slice(0, -'?raw'.length)),
      namespace: 'raw',
    }))
    onLoad({filter: /./, namespace: 'raw'}, ({path}) => ({
      contents: readFileSync(path, 'utf8'),
      loader: 'text',
    }))
  },
}
