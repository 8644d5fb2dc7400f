import {mkdtempSync, rmSync, statfsSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {TestProject} from 'vitest/node'
import {COLLECT, writeCollected} from './support/texts.js'

/** A file system in memory, and the free bytes that tests may need. */
const MEMORY = '/dev/shm'
const ENOUGH = 3e9

/** Prepares a run, and cleans up after it. With TEST_TEXTS set, the run updates the recorded texts. */
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
 * Prints how to repeat the order of the tests, and makes tests use a file system in memory if it is large enough,
 * so that they do not wait for the disk.
 */
function keepFilesInMemory({config}: TestProject): () => void {
  console.log(`To repeat this run: TEST_SEED=${config.sequence.seed}`)
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
