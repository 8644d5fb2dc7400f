import {environmentPage} from './environment.js'
import {exitCodesPage} from './exit-codes.js'
import {formatsPage} from './formats.js'
import type {Page} from './page.js'
import {pathsPage} from './paths.js'
import {scriptingPage} from './scripting.js'

/**
 * All pages of `drv help`, in the order in which one needs them. What belongs to a single command is
 * told by that command.
 */
export const pages: readonly Page[] = [
  pathsPage,
  formatsPage,
  scriptingPage,
  exitCodesPage,
  environmentPage,
]
