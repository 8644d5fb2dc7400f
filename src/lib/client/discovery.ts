import {type Sender, readJsonText} from './request.js'

/** Description documents, which anybody may read (reference: description-format.md, section 7). */

/** The text at `url`, which is at the sender's own origin; fails as every request does. */
export async function fetchDocument(sender: Sender, url: string): Promise<string> {
  return sender.retry({repeat: 'safe'}, async () =>
    readJsonText(await sender.send({method: 'GET', url}), sender.reading(url)),
  )
}
