#!/usr/bin/env node
'use strict'
require('../dist/start.cjs').run(require.resolve('../dist/drv.cjs'))
