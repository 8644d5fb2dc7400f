import {mkdtempSync, rmSync, statfsSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {TestProject} from 'vitest/node'
import {COLLECT, writeCollected} from './support/texts.js'

/** A file system in memory, and the bytes that tests may need of it at once. */
const MEMORY = '/dev/shm'
const ENOUGH = 3e9

/**
 * Prepares a run, and ends it. With TEST_TEXTS set, the texts that tests read are written anew.
 */
export default function setUp(project: TestProject): () => void {
  const clean = keepFilesInMemory(project)
  if (!process.env.TEST_TEXTS) return clean
  const folder = mkdtempSync(join(tmpdir(), 'drv-texts-'))
  process.env[COLLECT] = folder
  return () => {
    writeCollected(folder)
    rmSync(folder, {recursive: true})
    clean()
  }
}

/**
 * Tells how the tests run in the same order again, and has them keep their files in memory where
 * there is enough of it: what is written there is the same, and the disk is not waited for.
 */
function keepFilesInMemory({config}: TestProject): () => void {
  console.log(`The same order again: TEST_SEED=${config.sequence.seed}`)
  if (free(MEMORY) < ENOUGH) return () => undefined
  const place = mkdtempSync(join(MEMORY, 'drv-tests-'))
  process.env.TMPDIR = place
  return () => rmSync(place, {recursive: true, force: true})
}

function free(path: string): number {
  try {
    const {bavail, bsize} = statfsSync(path)
    return bavail * bsize
  } catch {
    return 0
  }
}
