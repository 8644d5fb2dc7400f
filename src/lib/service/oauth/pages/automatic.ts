import type {ServiceResponse} from '#lib/service/http/message.js'
import type {Approval, OauthCall} from '#lib/service/oauth/call.js'
import {html} from './html.js'
import {page, refusalPage} from './layout.js'

/** Returns the page of a service that decides sign-ins itself, instead of the page on which a person decides; `undefined` for other services. */
export function automaticPage({approval}: OauthCall): ServiceResponse | undefined {
  if (approval === undefined) return undefined
  const sentence = sentenceOf(approval)
  if (typeof approval === 'string') return refusalPage(403, 'Sign-in is not approved', sentence)
  return page({
    title: 'Sign-ins are approved automatically',
    body: html`<p role="status">${sentence} You can close this page.</p>`,
  })
}

function sentenceOf(approval: Approval): string {
  if (approval === 'deny') return 'This service denies every sign-in.'
  if (approval === 'never') return 'This service leaves every sign-in pending.'
  return `This service approves every sign-in as ${approval.user}.`
}
