import {playExamples} from './play.js'

playExamples('everyday', {})
