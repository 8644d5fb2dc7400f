import {subscribe} from 'node:diagnostics_channel'

/** Loaded into the process of the service: answers each message of its parent with the number of requests so far. */

let requests = 0
subscribe('http.server.request.start', () => requests++)
process.on('message', () => process.send(requests))
process.channel?.unref()
