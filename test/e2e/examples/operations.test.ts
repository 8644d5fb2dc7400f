import {playExamples} from './play.js'

playExamples('operations', {})
