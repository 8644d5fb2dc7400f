import {readFileSync} from 'node:fs'
import {request} from 'node:http'
import {createServer, type Server} from 'node:https'

/**
 * Passes requests on to a service unchanged, and resets connections like the service. `telling` selects whether a
 * response has a length or is chunked.
 */
export function startTls(
  target: string,
  {cert, key}: {cert: string; key: string},
  telling = true,
): Promise<Server> {
  const files = {cert: readFileSync(cert), key: readFileSync(key)}
  const server = createServer(files, (message, reply) => {
    const {method, headers, url = ''} = message
    // The service accepts only its own host name.
    const renamed = {...headers, host: new URL(target).host}
    const onward = request(target + url, {method, headers: renamed}, answer => {
      const {location, ...others} = answer.headers
      if (!telling) delete others['content-length']
      const moved = location && {location: location.replace(target, `https://${headers.host}`)}
      reply.writeHead(answer.statusCode!, {...others, ...moved})
      answer
        .on('error', () => message.destroy())
        .on('close', () => {
          if (!answer.complete) message.socket.destroy()
        })
      answer.pipe(reply)
    })
    onward.on('error', () => message.socket.destroy())
    message.on('error', () => onward.destroy())
    message.pipe(onward)
  })
  return new Promise(settle => server.listen(0, '127.0.0.1', () => settle(server)))
}
