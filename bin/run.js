#!/usr/bin/env node
import module from 'node:module'

// Node 20 has no compile cache; later versions start faster with it.
module.enableCompileCache?.()
const {execute} = await import('@oclif/core')
await execute({dir: import.meta.url})
