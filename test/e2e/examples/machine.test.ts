import {playExamples} from './play.js'

playExamples('machine', {})
