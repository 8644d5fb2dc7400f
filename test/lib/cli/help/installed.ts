import {fileURLToPath} from 'node:url'
import {readManifest} from '#lib/cli/help/manifest.js'

/** The manifest of this checkout, as the build has made it. */
export const manifest = readManifest(fileURLToPath(new URL('../../../..', import.meta.url)))
