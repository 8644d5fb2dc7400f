import {INSPECT_PATH} from './sessions.js'

/** The path of the events of new requests. */
export const EVENTS_PATH = `${INSPECT_PATH}/events`

/** Adds the rows of new requests to the list. */
export const LIVE_SCRIPT = `
const rows = document.querySelector('tbody')
const {position, limit} = rows.dataset
const query = new URLSearchParams(location.search)
query.set('after', position)
const source = new EventSource('${EVENTS_PATH}?' + query)
const status = document.getElementById('live')
source.onopen = () => { status.textContent = 'Live: new requests appear at the top.' }
source.onerror = () => { status.textContent = 'The service does not respond.' }
source.onmessage = event => {
  document.getElementById('none')?.remove()
  const template = document.createElement('template')
  template.innerHTML = event.data
  rows.prepend(template.content)
  while (rows.children.length > Number(limit)) rows.lastElementChild.remove()
}
`
