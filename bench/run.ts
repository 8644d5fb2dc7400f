import {mkdtempSync, rmSync} from 'node:fs'
import {cpus, tmpdir} from 'node:os'
import {join} from 'node:path'
import {idle} from './idle.js'
import {large} from './large.js'
import {lists} from './lists.js'
import {usage} from './process.js'
import {requests} from './requests.js'
import {scale, SHAPES} from './scale.js'
import {search} from './search.js'
import {type Bench, startBench} from './service.js'
import {small} from './small.js'
import {startup} from './startup.js'
import {wire} from './wire.js'
import {writes} from './writes.js'

/**
 * Compares the cost of `drv` and the local service within one run: `npm run bench` for everything but `scale` and
 * `idle`, `npm run bench -- small --quick` for one part with less data, `npm run bench -- scale 10000 1000000 flat` for
 * trees of these numbers of files and these shapes, `npm run bench -- idle 50 50000` for waiting followers of trees of
 * these numbers of files.
 */

const words = process.argv.slice(2)
const isQuick = words.includes('--quick')
const rounds = isQuick ? 1 : 3
const parts: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  startup,
  requests,
  writes: bench => writes(bench, isQuick ? [500, 2000] : [1000, 8000]),
  search: bench => search(bench, isQuick ? [1000, 5000] : [1000, 20_000, 100_000], rounds),
  large: bench => large(bench, isQuick ? 128 : 1024, rounds),
  small: bench => small(bench, isQuick ? 200 : 2000, rounds),
  lists: bench => lists(bench, isQuick ? 2000 : 20_000, rounds),
  wire: bench => wire(bench, isQuick ? 100 : 300, rounds),
}

if (words[0] === 'scale') {
  const sizes = words.filter(word => /^\d+$/.test(word)).map(Number)
  const shapes = SHAPES.filter(shape => words.includes(shape))
  const known = new Set<string>(['scale', '--disk', ...SHAPES, ...sizes.map(String)])
  const strange = words.find(word => !known.has(word))
  if (strange !== undefined) {
    console.error(
      `"${strange}" is neither a number of files, nor --disk, nor one of ${SHAPES.join(', ')}.`,
    )
    process.exit(2)
  }
  console.log(`Node ${process.version}, ${cpus().length} cores`)
  await scale({
    sizes: sizes.length > 0 ? sizes : [10_000, 100_000],
    shapes: shapes.length > 0 ? shapes : SHAPES,
    isInMemory: !words.includes('--disk'),
  })
  process.exit()
}

if (words[0] === 'idle') {
  const sizes = words.slice(1)
  const strange = sizes.find(word => !/^\d+$/.test(word))
  if (strange !== undefined) {
    console.error(`"${strange}" is not a number of files.`)
    process.exit(2)
  }
  console.log(`Node ${process.version}, ${cpus().length} cores`)
  await idle(sizes.length > 0 ? sizes.map(Number) : [50, 50_000])
  process.exit()
}

const wanted = words.filter(word => word !== '--quick')
const unknown = wanted.find(word => !Object.hasOwn(parts, word))
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}", only ${Object.keys(parts).join(', ')} and --quick.`)
  process.exit(2)
}

console.log(`Node ${process.version}, ${cpus().length} cores`)
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const directory = mkdtempSync(join(tmpdir(), 'drv-bench-'))
  const bench = await startBench(directory)
  try {
    console.log('')
    await parts[name]!(bench)
    const {cpu, memory} = usage(bench.pid)
    if (memory) console.log(`service: ${cpu!.toFixed(1)} s CPU, ${memory.toFixed(0)} MiB at most`)
  } finally {
    await bench.close()
    rmSync(directory, {recursive: true, force: true})
  }
}
