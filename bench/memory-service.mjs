import {createService} from '../dist/local.mjs'

/** Runs the local service in memory until a signal, and prints its addresses and a token as JSON. */

const service = await createService()
const {baseUrl: url} = service
console.log(JSON.stringify({base_url: url, token: service.token()}))
process.once('SIGTERM', () => void service.close())
